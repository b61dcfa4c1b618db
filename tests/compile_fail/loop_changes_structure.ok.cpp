// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <tuple>

#include <dyad/core.hpp>

double slope(int n) {
    auto f = [](auto x, auto n) {
        return std::get<0>(dyad::fori_loop(n, [](auto, auto s) { return std::tuple{std::get<0>(s), 1.0}; }, std::tuple{x, x}));
    };
    return dyad::grad<0>(f)(2.0, n);
}
