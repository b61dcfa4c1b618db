// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What a body assigns outside of itself has no one value there.

#include <utility>

#include <dyad/core.hpp>

double slope() {
    auto f = [](auto x) {
        auto both = dyad::fori_loop(3, [](auto, auto s) { return std::pair{s.first + s.second, s.second * 1.5}; }, std::pair{0 * x, x});
        return both.first + both.second;
    };
    return dyad::grad(f)(2.0);
}
