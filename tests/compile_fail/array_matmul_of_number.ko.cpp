// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A number has no rows: ranks are in the types, so the compiler knows.
// expect: \[dyad\] matmul: an operand is a number, not an array

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

vector slope(const matrix& x, const vector& w) {
    auto loss = [](auto a, auto b) { return sum(matmul(a, sum(b))); };
    return dyad::grad<1>(loss)(x, w);
}
