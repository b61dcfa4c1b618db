// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

void slope(double& value, vector& slopes, const vector& x) {
    auto out = std::tie(value, slopes);
    dyad::evaluate_into(out, dyad::value_and_grad([](auto a) { return sum(a * a); }), x);
}
