// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Whole numbers beside an expression are data, as they are beside numbers.
// expect: \[dyad\] transform: a derivative with respect to an integer does not exist

#include <dyad/core.hpp>

double slope() {
    dyad::var<"x"> x{2.0};
    const auto [by_x, by_n] = dyad::grad([](auto u, auto n) { return pow(u, n); })(x, 3);
    return (by_x + by_n).value();
}
