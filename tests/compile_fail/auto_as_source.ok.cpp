// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/tape.hpp>

double slope() {
    dyad::tape tape;
    dyad::real x = tape.variable(3.0);
    dyad::real u = x * x;
    dyad::real y = sin(u);
    return tape.gradient(y, u);
}
