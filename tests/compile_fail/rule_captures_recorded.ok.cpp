// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/implicit.hpp>
#include <dyad/tape.hpp>

double slope(double value) {
    dyad::tape tape;
    const dyad::real x = tape.variable(value), a = tape.variable(2.0);
    const dyad::real y = dyad::fixed_point([](auto u, auto b, auto c) { return u * 0.5 + c * b; }, 0.0)(a, x);
    return tape.gradient(y, x);
}
