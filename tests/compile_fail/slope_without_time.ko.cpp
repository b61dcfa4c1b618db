// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The right-hand side of a differential equation takes the time, too.
// expect: \[dyad\] odeint: the function cannot be called so; it takes the time, the state and the further arguments
// max-lines: 60

#include <dyad/implicit.hpp>

double end(double k) {
    return dyad::odeint([](auto y, auto by) { return -by * y; }, 1.0, 0.0, 1.0, k);
}
