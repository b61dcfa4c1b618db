// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A plain number in an expression has no name to differentiate by.
// expect: \[dyad\] diff, gradient: they are by one or more variables

#include <dyad/core.hpp>

double slope() {
    dyad::var<"x"> x{3.0};
    double y = 2.0;
    return dyad::diff(x * y, y).value();
}
