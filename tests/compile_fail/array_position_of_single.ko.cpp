// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// keep_dims leaves an axis of size 1: position 5 along it cannot be.
// expect: \[dyad\] array: a position .*size 1

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

matrix slope(const matrix& x) {
    auto loss = [](auto a) { return sum(mean(a, 0, dyad::keep_dims)[5]); };
    return dyad::grad(loss)(x);
}
