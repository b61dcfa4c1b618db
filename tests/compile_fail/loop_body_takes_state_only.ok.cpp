// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The body of a loop takes the number of the round too.

#include <dyad/core.hpp>

double slope() {
    auto f = [](auto x) { return dyad::fori_loop(3, [](auto, auto s) { return 2 * s; }, x); };
    return dyad::grad(f)(2.0);
}
