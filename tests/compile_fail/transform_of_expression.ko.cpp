// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Expressions have diff and gradient; grad and its kin take numbers and traced values.
// expect: \[dyad\] nesting: a transform cannot take an expression; use diff and gradient

#include <dyad/core.hpp>

double slope() {
    dyad::var<"x"> x{2.0};
    return dyad::grad([](auto u) { return u * u; })(x).value();
}
