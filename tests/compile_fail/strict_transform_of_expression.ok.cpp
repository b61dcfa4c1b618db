// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope() {
    dyad::var<"x"> x{2.0};
    return dyad::grad([](auto u) { return u * u; })(x).value();
}
