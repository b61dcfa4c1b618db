// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A function with a run-time capture is run on expressions, whose types are their formulas: none can go round a loop.
// (clang also prints how the function came to be called.)
// max-lines: 42
// expect: \[dyad\] capture: the type of an expression is its formula.*as in a loop

#include <dyad/core.hpp>

double slope(double scale) {
    auto f = [scale](auto x) {
        auto s = x * scale;
        for (int k = 0; k < 3; ++k) s = s * x;
        return s;
    };
    return dyad::grad(f)(2.0);
}
