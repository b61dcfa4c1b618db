// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <type_traits>

#include <dyad/core.hpp>

double slope(double x) {
    return dyad::grad<0>([](auto y, auto n) { return y * n; })(x, 3);
}
