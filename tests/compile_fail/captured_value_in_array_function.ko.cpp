// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A function with a run-time capture is built of expressions, which an array argument cannot be.
// expect: \[dyad\] capture: a function with captured values cannot take a std::array.*pass the captured values as arguments

#include <dyad/core.hpp>

#include <array>

double slope(double scale) {
    auto f = [scale](auto x) { return scale * x[0] * x[1]; };
    return dyad::grad(f)(std::array{1.0, 2.0})[0];
}
