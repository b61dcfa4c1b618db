// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope() {
    auto [v, pull] = dyad::vjp([](auto x) { return std::tuple{x, x * x}; })(2.0);
    return pull(std::tuple{1.0, 0.0});
}
