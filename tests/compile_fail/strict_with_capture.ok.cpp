// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope(double scale) {
    auto f = [](auto x, auto factor) { return factor * x * x; };
    return dyad::grad<0>(dyad::strict(f))(2.0, scale);
}
