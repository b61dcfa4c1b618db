// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// There are two.
// expect: \[dyad\] derivative: it is that of a function of one argument

#include <dyad/core.hpp>

double curvature() {
    return dyad::derivative<2>([](auto x, auto y) { return x * y; })(1.0, 2.0);
}
