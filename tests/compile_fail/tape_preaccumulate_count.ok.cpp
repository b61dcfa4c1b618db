// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/tape.hpp>

double slope() {
    dyad::tape tape;
    const dyad::real x = tape.variable(1.0), z = tape.variable(2.0);
    const dyad::real y = x * z;
    return tape.gradient(tape.preaccumulate([](auto a, auto b) { return a * b; }, y, z), x);
}
