// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// An intermediate result is no variable.
// expect: \[dyad\] diff, gradient: they are by one or more variables

#include <dyad/core.hpp>

double slope() {
    dyad::var<"x"> x{3.0};
    auto u = x * x;
    return std::get<0>(dyad::gradient(u * u, u));
}
