// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// expect: \[dyad\] argument or result: its type is neither a number nor a std::array

#include <type_traits>

#include <dyad/core.hpp>

double slope(double x) {
    return dyad::grad<0>([](auto y, auto n) { return y * decltype(n)::value; })(x, std::integral_constant<int, 3>{});
}
