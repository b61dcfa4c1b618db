// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Of plain numbers too.
// expect: \[dyad\] loop: .*another structure

#include <array>
#include <tuple>

#include <dyad/core.hpp>

auto next = [](auto, auto s) { return std::tuple{std::get<1>(s), std::get<0>(s)}; };
double last(int n) { return std::get<0>(dyad::fori_loop(n, next, std::tuple{1.0, std::array{2.0, 3.0}})); }
