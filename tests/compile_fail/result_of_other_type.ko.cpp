// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A result is a number or a structure of numbers.
// expect: \[dyad\] argument or result: its type is neither a number nor a std::array

#include <dyad/core.hpp>

#include <array>
#include <optional>

auto slope() {
    return dyad::jacobian([](auto x) { return std::optional{x * x}; })(2.0);
}
