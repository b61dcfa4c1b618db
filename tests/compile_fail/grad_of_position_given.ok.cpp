// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope(double x, double y) {
    return dyad::grad<0>([](auto u, auto v) { return u * v; })(x, y);
}
