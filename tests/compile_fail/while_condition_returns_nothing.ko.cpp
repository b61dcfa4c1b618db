// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A condition says whether to go on.
// max-lines: 26
// expect: \[dyad\] while_loop: the condition must return whether to go on

#include <dyad/core.hpp>

auto large = [](auto s) { static_cast<void>(s > 1); };
double slope() {
    return dyad::grad([](auto x) { return dyad::while_loop(large, [](auto s) { return s / 2; }, x); })(3.0);
}
