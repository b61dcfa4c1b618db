// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <tuple>

#include <dyad/core.hpp>

double slope(double c) {
    auto f = [c](auto x) {
        auto half = [=](auto s) { return std::tuple{std::get<0>(s) * c, 1.0}; };
        return std::get<1>(dyad::while_loop([](auto s) { return std::get<0>(s) > 1; }, half, std::tuple{x, x}));
    };
    return dyad::grad(f)(3.0);
}
