// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/tape.hpp>

#include <string>

double slope() {
    dyad::tape tape;
    const dyad::real x = tape.variable(std::stod("3"));
    return tape.gradient(x * x, x);
}
