// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Expressions have the default policy: a strict function's derivative among them would lose its own.
// expect: \[dyad\] strict: the expressions of captured values have the default policy

#include <dyad/core.hpp>

double slope() {
    dyad::var<"x"> x{2.0};
    return dyad::grad(dyad::strict([](auto u) { return u * u; }))(x).value();
}
