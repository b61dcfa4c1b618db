// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

auto squares(const std::array<double, 3>& xs) {
    return dyad::map([](auto x) { return x * x; }, xs);
}
