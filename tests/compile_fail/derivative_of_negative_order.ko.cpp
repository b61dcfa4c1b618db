// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// An order below 0.
// expect: \[dyad\] derivative: the order must not be negative

#include <dyad/core.hpp>

double integral() { return dyad::derivative<-1>([](auto x) { return x * x; })(1.0); }
