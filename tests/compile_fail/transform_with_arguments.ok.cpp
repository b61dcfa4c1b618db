// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope(double x) {
    return dyad::grad([](auto y) { return y * y; })(x);
}
