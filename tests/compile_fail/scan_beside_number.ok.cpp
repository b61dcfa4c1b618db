// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What stands side by side are sequences, all of it.

#include <array>
#include <tuple>

#include <dyad/core.hpp>

auto value(double x) {
    return dyad::scan([](auto s, auto e) { return std::pair{s * std::get<0>(e), s}; }, x, std::tuple{std::array{1.0}, std::array{3.0}}).first;
}
