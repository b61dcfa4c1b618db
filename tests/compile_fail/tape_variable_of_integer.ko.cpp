// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// expect: \[dyad\] tape.variable: a derivative with respect to an integer

#include <dyad/tape.hpp>

double slope() {
    dyad::tape tape;
    const dyad::real x = tape.variable(3);
    return tape.gradient(x * x, x);
}
