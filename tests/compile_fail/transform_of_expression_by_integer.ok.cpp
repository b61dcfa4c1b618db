// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope() {
    dyad::var<"x"> x{2.0};
    return dyad::grad<0>([](auto u, auto n) { return pow(u, n); })(x, 3).value();
}
