// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A rule gives a cotangent for each argument.
// max-lines: 26
// expect: \[dyad\] custom_gradient: .*one cotangent for each argument

#include <tuple>

#include <dyad/core.hpp>

double slope() {
    auto f = [](auto x, auto y) {
        return dyad::custom_gradient([](auto a, auto b) { return a * b; }, [](auto, auto b, auto, auto up) { return std::tuple{up * b}; })(x, y);
    };
    return std::get<0>(dyad::grad(f)(2.0, 3.0));
}
