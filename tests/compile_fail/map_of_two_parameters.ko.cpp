// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// map calls the function with one element.
// expect: \[dyad\] map: the function cannot be called so; it takes one element of xs

#include <dyad/core.hpp>

auto squares(const std::array<double, 3>& xs) {
    return dyad::map([](auto x, auto y) { return x * y; }, xs);
}
