// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// An expression is no function.
// expect: \[dyad\] call: this is an expression, not a function; its derivatives are diff\(y, x\) and gradient\(y, x\.\.\.\)
// max-lines: 22

#include <dyad/core.hpp>

double slope(const dyad::var<"x">& x) {
    return dyad::grad(x * x)(x).value();
}
