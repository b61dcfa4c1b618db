// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A function with a captured number takes two arguments and is given one.
// expect: \[dyad\] call: the function cannot be called so, with this number of arguments

#include <dyad/core.hpp>

double slope(double k) { return dyad::grad([k](auto x, auto y) { return k * x * y; })(2.0); }
