// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Arguments count from 0.
// expect: \[dyad\] transform: a position is not below the number of arguments

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

vector slope(const vector& x) {
    auto loss = [](auto a) { return sum(a); };
    return dyad::grad<1>(loss)(x);
}
