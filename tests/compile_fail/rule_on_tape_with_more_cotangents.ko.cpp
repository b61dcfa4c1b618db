// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// On a tape a rule gives one number for each argument, too.
// max-lines: 26
// expect: \[dyad\] custom_gradient: .*one cotangent for each argument

#include <tuple>

#include <dyad/tape.hpp>

double slope() {
    auto square = dyad::custom_gradient([](auto x) { return x * x; }, [](auto x, auto, auto up) { return std::tuple{2 * x * up, 0.0}; });
    dyad::tape t;
    dyad::real x = t.variable(3.0), y = square(x);
    return t.gradient(y, x);
}
