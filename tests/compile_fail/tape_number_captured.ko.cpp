// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The derivative by what is captured would be lost.
// max-lines: 50
// expect: \[dyad\] capture: a function of grad and its kin captures a number of a tape

#include <dyad/tape.hpp>

double slope() {
    return dyad::tape_grad([](auto x) { return dyad::grad([x](auto y) { return x * y * y; })(2.0); })(3.0);
}
