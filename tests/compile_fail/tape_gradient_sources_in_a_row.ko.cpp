// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// expect: \[dyad\] tape.gradient: the third argument is no dyad::seed; .*several sources as a tuple

#include <dyad/tape.hpp>

#include <tuple>

double slope() {
    dyad::tape tape;
    const dyad::real x = tape.variable(1.0), z = tape.variable(2.0);
    const dyad::real y = x * z;
    return std::get<0>(tape.gradient(y, x, z));
}
