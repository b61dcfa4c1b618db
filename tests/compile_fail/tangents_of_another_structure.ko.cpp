// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// As many tangents as primals, in another order.
// expect: \[dyad\] jvp, hvp: the tangents must have the structure of the primals

#include <dyad/core.hpp>

double slope() {
    auto f = [](auto x, auto p) { return x * p[0] * p[1]; };
    return dyad::jvp(f)(std::tuple{2.0, std::array{3.0, 5.0}}, std::tuple{std::array{1.0, 0.0}, 0.0}).second;
}
