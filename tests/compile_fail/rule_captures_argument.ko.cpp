// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// In a function that captures numbers, what the function of a rule captures would be differentiated through it.
// expect: \[dyad\] custom_gradient: in a function that captures numbers, what the function captures would be differentiated
// max-lines: 40

#include <dyad/core.hpp>

double slope(double c) {
    const auto f = [c](auto x) { return c * dyad::custom_gradient([&](auto y) { return x * y; }, [](auto, auto, auto up) { return up; })(2.0); };
    return dyad::grad(f)(3.0);
}
