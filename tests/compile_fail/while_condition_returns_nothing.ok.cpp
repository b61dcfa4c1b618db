// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

auto large = [](auto s) { return s > 1; };
double slope() {
    return dyad::grad([](auto x) { return dyad::while_loop(large, [](auto s) { return s / 2; }, x); })(3.0);
}
