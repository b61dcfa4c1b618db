// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

auto twice = [](auto, auto s) { return s = s * 2; };
double slope() {
    return dyad::grad([](auto x) { return dyad::fori_loop(3, twice, x); })(3.0);
}
