// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The number of rounds is a number.

#include <type_traits>

#include <dyad/core.hpp>

auto value(double x) {
    return dyad::grad([](auto a) { return dyad::fori_loop(3, [](auto, auto s) { return s * s; }, a); })(x) +
           dyad::fori_loop(std::integral_constant<int, 3>{}, [](auto, auto s) { return s * s; }, x);
}
