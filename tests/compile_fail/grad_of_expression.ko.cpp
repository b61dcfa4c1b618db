// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// An expression is no function.
// expect: \[dyad\] grad: it takes a function, not an expression; of expressions there are diff\(y, x\)

#include <dyad/core.hpp>

double slope(const dyad::var<"x">& x) {
    return dyad::grad(x * x)(x).value();
}
