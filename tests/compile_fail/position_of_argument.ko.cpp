// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Arguments count from 0.
// expect: \[dyad\] transform: a position is not below the number of arguments

#include <dyad/core.hpp>

double slope() {
    auto f = [](auto x, auto y) { return x * y; };
    return dyad::grad<2>(f)(2.0, 3.0);
}
