// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Both functions of a branch return something.
// max-lines: 26
// expect: \[dyad\] cond: a function returns nothing

#include <dyad/core.hpp>

double slope() {
    return dyad::grad([](auto x) { return dyad::cond(x > 0, [](auto y) { return y; }, [](auto y) { -y; }, x); })(3.0);
}
