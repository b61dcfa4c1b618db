// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A lambda that captures a number and takes a double.
// expect: \[dyad\] call: the function takes these arguments, but not the traced values that stand for them; write auto

#include <dyad/core.hpp>

double slope(double k) { return dyad::grad([k](double x) { return k * x * x; })(2.0); }
