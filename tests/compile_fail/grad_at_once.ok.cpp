// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope(double x) {
    return dyad::grad([](auto u) { return u * u; })(x);
}
