// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <array>
#include <tuple>

#include <dyad/core.hpp>

auto next = [](auto, auto s) { return std::tuple{2 * std::get<0>(s), std::get<1>(s)}; };
double last(int n) { return std::get<0>(dyad::fori_loop(n, next, std::tuple{1.0, std::array{2.0, 3.0}})); }
