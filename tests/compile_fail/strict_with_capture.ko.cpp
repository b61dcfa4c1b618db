// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Captured numbers make expressions, which have the default policy.
// expect: \[dyad\] strict: the expressions of captured values have the default policy; pass the values as arguments

#include <dyad/core.hpp>

double slope(double scale) {
    auto f = [scale](auto x) { return scale * x * x; };
    return dyad::grad(dyad::strict(f))(2.0);
}
