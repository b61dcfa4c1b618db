// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <tuple>

#include <dyad/core.hpp>

double slope(double x) {
    return dyad::grad([](auto y) {
        auto [a, b] = dyad::cond(y > 0, [](auto z) { return std::tuple{z, z * z}; }, [](auto z) { return std::tuple{z, z}; }, y);
        return a * b;
    })(x);
}
