// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope(double scale) {
    auto outer = [](auto x, auto factor) {
        return dyad::grad([x, factor](auto y) { return factor * x * y * y; })(1.0);
    };
    return dyad::grad<0>(outer)(1.0, scale);
}
