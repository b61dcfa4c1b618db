// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope() {
    auto f = [](auto x, auto p) { return x * p[0] * p[1]; };
    return dyad::jvp(f)(std::tuple{2.0, std::array{3.0, 5.0}}, std::tuple{0.0, std::array{1.0, 0.0}}).second;
}
