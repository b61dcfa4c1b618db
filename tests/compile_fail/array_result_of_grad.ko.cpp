// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A gradient is that of one number.
// expect: \[dyad\] grad: the function must return one number; reduce it with sum.*\bjacobian\b

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto slope(const vector& x) {
    auto loss = [](auto a) { return a * a; };
    return dyad::grad(loss)(x);
}
