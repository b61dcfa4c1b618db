// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

#include <array>

double slope(double scale) {
    auto f = [](auto x, auto factor) { return factor * x[0] * x[1]; };
    return dyad::grad<0>(f)(std::array{1.0, 2.0}, scale)[0];
}
