// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A vector has no trace; diag of it would be a matrix, and the sum of that one another vector.
// expect: \[dyad\] linear algebra: .*not a matrix

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

vector slope(const vector& x) {
    auto loss = [](auto a) { return sum(trace(a)); };
    return dyad::grad(loss)(x);
}
