// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/implicit.hpp>

#include <array>

auto found(double a) {
    return dyad::fixed_point([](auto x, auto) { return x; }, std::array{1.0, 2.0})(a);
}
