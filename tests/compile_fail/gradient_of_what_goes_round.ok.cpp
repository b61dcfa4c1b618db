// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double value() {
    dyad::var<"x"> x{3.0};
    return dyad::fori_loop(1, [&](auto, auto s) { return s + dyad::diff(s * s * x, x); }, 1 * x).value();
}
