// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope(double scale) {
    auto f = [](auto x, auto factor) {
        auto s = x * factor;
        for (int k = 0; k < 3; ++k) s = s * x;
        return s;
    };
    return dyad::grad<0>(f)(2.0, scale);
}
