// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Expressions have functions of their own: the message names them.
// expect: derivative\(f\)\(x\), of order 2 derivative<2>\(f\)\(x\); of expressions there are diff\(y, x\)

#include <dyad/core.hpp>

double slope(const dyad::var<"x">& x) {
    return dyad::derivative(x * x, x).value();
}
