// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/tape.hpp>

double slope() {
    dyad::tape tape;
    const dyad::real x = tape.variable(3.0);
    return tape.gradient(x * x, x);
}
