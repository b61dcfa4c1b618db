// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A scan goes through elements.

#include <array>

#include <dyad/core.hpp>

auto value(double x) {
    return dyad::scan([](auto s, auto e) { return std::pair{s * e, s}; }, x, std::array{3.0}).first;
}
