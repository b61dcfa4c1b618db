// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// In a function that captures the whole method would be part of a type.
// expect: \[dyad\] fixed_point, odeint: they take no variables, and do not stand in a function that captures
// max-lines: 50

#include <dyad/implicit.hpp>

double slope(double c) {
    return dyad::grad([c](auto k) { return c * dyad::odeint([](auto, auto y, auto by) { return -by * y; }, 1.0, 0.0, 1.0, k); })(0.5);
}
