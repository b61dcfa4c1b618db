// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

void slope(vector& out, const vector& x) {
    auto loss = [](auto a) { return sum(a * a); };
    dyad::evaluate_into(out, dyad::grad(loss), x);
}
