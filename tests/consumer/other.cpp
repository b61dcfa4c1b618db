// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope_elsewhere(double x);

double slope_elsewhere(double x) {
    return dyad::grad([](auto y) { return y * y * y; })(x);
}
