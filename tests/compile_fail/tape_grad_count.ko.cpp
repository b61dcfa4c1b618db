// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// max-lines: 22
// expect: \[dyad\] tape: the function cannot be called so

#include <dyad/tape.hpp>

double slope() { return dyad::tape_grad([](auto x, auto y) { return x * y; })(3.0); }
