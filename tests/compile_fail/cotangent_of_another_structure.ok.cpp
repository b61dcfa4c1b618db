// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope() {
    auto [v, pull] = dyad::vjp([](auto x) { return std::tuple{x, std::array{2 * x, 3 * x}}; })(1.0);
    return pull(std::tuple{0.0, std::array{1.0, 0.0}});
}
