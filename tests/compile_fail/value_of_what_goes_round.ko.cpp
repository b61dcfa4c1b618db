// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What goes round a loop of expressions has no value while the body is run.
// expect: \[dyad\] branch: in a function with captured values.*what goes round a loop
// max-lines: 50

#include <dyad/core.hpp>

double slope(double c) {
    return dyad::grad([c](auto x) { return dyad::fori_loop(2, [&](auto, auto s) { return c * s * s.value(); }, x); })(2.0);
}
