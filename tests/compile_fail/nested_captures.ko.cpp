// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Where functions with captured numbers stand inside one another, the inner derivative would take the outer argument for
// a constant. (clang also prints how std::apply came to call the function.)
// max-lines: 42
// expect: \[dyad\] nesting: a function captures the argument of another one.*pass captured values as arguments

#include <dyad/core.hpp>

double slope(double scale) {
    auto outer = [scale](auto x) { return dyad::grad([x, scale](auto y) { return scale * x * y * y; })(1.0); };
    return dyad::grad(outer)(1.0);
}
