// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <tuple>

#include <dyad/tape.hpp>

double slope() {
    auto square = dyad::custom_gradient([](auto x) { return x * x; }, [](auto x, auto, auto up) { return std::tuple{2 * x * up}; });
    dyad::tape t;
    dyad::real x = t.variable(3.0), y = square(x);
    return t.gradient(y, x);
}
