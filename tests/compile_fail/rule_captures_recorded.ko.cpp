// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A function with a rule sees only what it is given.
// expect: \[dyad\] capture: a function with a rule captures a number of a tape or a dual, whose derivative would be lost; pass it as an argument
// max-lines: 60

#include <dyad/implicit.hpp>
#include <dyad/tape.hpp>

double slope(double value) {
    dyad::tape tape;
    const dyad::real x = tape.variable(value), a = tape.variable(2.0);
    const dyad::real y = dyad::fixed_point([x](auto u, auto b) { return u * 0.5 + x * b; }, 0.0)(a);
    return tape.gradient(y, x);
}
