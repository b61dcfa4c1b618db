// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The body of a scan returns the next state and what is kept.

#include <array>

#include <dyad/core.hpp>

double slope(const std::array<double, 3>& xs) {
    auto f = [](auto s, auto x) { return dyad::scan([](auto state, auto element) { return std::pair{state * element, state}; }, s, x).first; };
    return dyad::grad<0>(f)(2.0, xs);
}
