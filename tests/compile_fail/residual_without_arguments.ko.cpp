// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A residual takes the root and the arguments.
// expect: \[dyad\] implicit_root: the residual cannot be called so; it takes the root and the further arguments
// max-lines: 60

#include <dyad/implicit.hpp>

double slope(double x) {
    return dyad::grad(dyad::implicit_root([](auto y) { return y * y - 2; }, [](auto a) { return dyad::sqrt(a); }))(x);
}
