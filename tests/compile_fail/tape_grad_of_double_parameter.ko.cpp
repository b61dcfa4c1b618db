// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// max-lines: 22
// expect: \[dyad\] tape: the function cannot be called so; .*as auto or dyad::real

#include <dyad/tape.hpp>

double slope() { return dyad::tape_grad([](double x) { return x * x; })(3.0); }
