// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A source without a tape.variable.
// expect: \[dyad\] tape: a source is a plain number

#include <dyad/tape.hpp>

double slope() {
    dyad::tape tape;
    const dyad::real x = tape.variable(1.0);
    const double c = 2;
    const dyad::real y = x * c;
    return tape.gradient(y, c);
}
