// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

void halve(const vector& x, xt::xtensor<int, 1>& out) {
    dyad::evaluate_into(out, [](auto a) { return floor(a / 2); }, x);
}
