// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double power(double x) {
    return dyad::grad([](auto u) { return dyad::fori_loop(3, [](auto, auto s) { return s * s; }, u); })(x);
}
