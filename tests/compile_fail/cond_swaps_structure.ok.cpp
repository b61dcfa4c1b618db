// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <array>
#include <tuple>

#include <dyad/core.hpp>

double slope(double x) {
    return dyad::grad([](auto y) {
        auto f = [](auto z) { return std::tuple{std::array{z, 2 * z}, z}; };
        auto g = [](auto z) { return std::tuple{std::array{2 * z, z}, 1.0}; };
        return std::get<1>(dyad::cond(y > 0, f, g, y));
    })(x);
}
