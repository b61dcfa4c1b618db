// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A function is no expression.
// expect: \[dyad\] diff, gradient: they are of expressions of variables

#include <dyad/core.hpp>

double slope() {
    dyad::var<"x"> x{3.0};
    return dyad::diff([](auto y) { return y * y; }, x);
}
