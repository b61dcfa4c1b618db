// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What stands side by side are sequences, all of it.
// expect: \[dyad\] scan, map: what they go through is an array, a container with random access, or a tuple of such

#include <array>
#include <tuple>

#include <dyad/core.hpp>

auto value(double x) {
    return dyad::scan([](auto s, auto e) { return std::pair{s * std::get<0>(e), s}; }, x, std::tuple{std::array{1.0}, 3.0}).first;
}
