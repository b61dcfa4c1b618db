// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A body returns the next state.
// max-lines: 26
// expect: \[dyad\] loop: the body returns nothing

#include <dyad/core.hpp>

auto twice = [](auto, auto s) { s = s * 2; };
double slope() {
    return dyad::grad([](auto x) { return dyad::fori_loop(3, twice, x); })(3.0);
}
