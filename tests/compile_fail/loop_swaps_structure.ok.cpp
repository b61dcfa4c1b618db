// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <array>
#include <tuple>

#include <dyad/core.hpp>

auto next = [](auto, auto s) { return std::tuple{2 * std::get<0>(s), std::get<1>(s)}; };
double slope(int n) {
    auto f = [](auto x, auto n) { return std::get<0>(dyad::fori_loop(n, next, std::tuple{x, std::array{x, x}})); };
    return dyad::grad<0>(f)(2.0, n);
}
