// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A pointer to a function takes numbers, and no traced values.
// expect: \[dyad\] call: the function takes these arguments, but not the traced values that stand for them; write auto

#include <dyad/core.hpp>

double square(double x) { return x * x; }

double slope() { return dyad::grad(square)(2.0); }
