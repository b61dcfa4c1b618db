// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// expect: \[dyad\] tape.variable: this is not made of numbers

#include <dyad/tape.hpp>

#include <string>

double slope() {
    dyad::tape tape;
    const dyad::real x = tape.variable(std::string("3"));
    return tape.gradient(x * x, x);
}
