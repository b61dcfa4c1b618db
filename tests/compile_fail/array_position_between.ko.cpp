// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A position is a whole number: 1.7 must not become 1.
// expect: \[dyad\] axis, size, position: a whole number

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

vector slope(const vector& x) {
    auto loss = [](auto a) { return a[1.7] * a[2]; };
    return dyad::grad(loss)(x);
}
