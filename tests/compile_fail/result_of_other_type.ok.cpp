// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A result is a number or a structure of numbers.

#include <dyad/core.hpp>

#include <array>
#include <optional>

auto slope() {
    return dyad::jacobian([](auto x) { return std::array{x * x}; })(2.0);
}
