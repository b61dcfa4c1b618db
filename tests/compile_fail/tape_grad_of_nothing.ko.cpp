// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// max-lines: 22
// expect: \[dyad\] tape: the function returns nothing

#include <dyad/tape.hpp>

double slope() { return dyad::tape_grad([](auto x) { x = x * x; })(3.0); }
