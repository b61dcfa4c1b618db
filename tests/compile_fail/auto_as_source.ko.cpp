// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What `auto` holds after an operation on reals was never recorded: no derivative by it is known.
// expect: \[dyad\] tape: a source is an expression.*declare it as dyad::real

#include <dyad/tape.hpp>

double slope() {
    dyad::tape tape;
    dyad::real x = tape.variable(3.0);
    auto u = x * x;
    dyad::real y = sin(u);
    return tape.gradient(y, u);
}
