// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A source without a tape.variable.

#include <dyad/tape.hpp>

double slope() {
    dyad::tape tape;
    const dyad::real x = tape.variable(1.0), c = tape.variable(2.0);
    const dyad::real y = x * c;
    return tape.gradient(y, c);
}
