// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope(double x) {
    return dyad::grad([](auto y) { return dyad::fori_loop(3, [&](auto, auto s) { return s * y; }, y); })(x);
}
