// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <tuple>

#include <dyad/core.hpp>

double slope() {
    auto f = [](auto x, auto y) {
        return dyad::custom_gradient([](auto a, auto b) { return a * b; }, [](auto a, auto b, auto, auto up) { return std::tuple{up * b, up * a}; })(x, y);
    };
    return std::get<0>(dyad::grad(f)(2.0, 3.0));
}
