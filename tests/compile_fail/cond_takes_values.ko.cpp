// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Values in place of the functions: traced ones have an operator() too, for positions.
// (clang also prints how the function came to be called.)
// max-lines: 26
// expect: \[dyad\] cond: the functions cannot be called so; both take the arguments

#include <dyad/core.hpp>

double slope(double x) {
    return dyad::grad([](auto x) { return dyad::cond(x > 0, x * x, -x); })(x);
}
