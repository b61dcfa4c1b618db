// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// As many values in another structure are not the same result.
// max-lines: 26
// expect: \[dyad\] cond: the two functions return different numbers of values, or different structures

#include <array>
#include <tuple>

#include <dyad/core.hpp>

double slope(double x) {
    return dyad::grad([](auto y) {
        auto f = [](auto z) { return std::tuple{std::array{z, 2 * z}, z}; };
        auto g = [](auto z) { return std::tuple{z, std::array{z, 2 * z}}; };
        return std::get<1>(dyad::cond(y > 0, f, g, y));
    })(x);
}
