// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// expect: \[dyad\] transform: a position is not below the number of arguments

#include <dyad/tape.hpp>

double slope() { return dyad::tape_grad<2>([](auto x, auto y) { return x * y; })(3.0, 2.0); }
