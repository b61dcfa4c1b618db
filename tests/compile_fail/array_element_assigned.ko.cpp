// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// An element of a traced array has no place of its own: the assignment would be lost.
// expect: \[dyad\] assignment: .*is a value, not a place

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

vector slope(const vector& x) {
    auto loss = [](auto a) {
        a[0] = a[0] * 2;
        return sum(a);
    };
    return dyad::grad(loss)(x);
}
