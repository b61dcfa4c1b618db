// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// An array of bools counts as 1 and 0 elsewhere; as positions these would be elements 1 and 0.
// expect: \[dyad\] take: conditions stand where positions belong; what they select is where\(mask, x, 0\)

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

vector slope(const vector& x, const xt::xtensor<bool, 1>& mask) {
    auto loss = [](auto a, auto m) { return sum(take(a, m)); };
    return dyad::grad<0>(loss)(x, mask);
}
