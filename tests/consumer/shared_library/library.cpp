// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A library that hides what it does not name, as Python's modules do: it records on its caller's tape, and its errors are caught there.
#include <dyad/tape.hpp>

__attribute__((visibility("default"))) dyad::real grown(const dyad::real& x) {
    dyad::real y = x;
    while (y < 50) y = y * x + sin(x);
    return y;
}
__attribute__((visibility("default"))) void refused(dyad::tape& tape, const dyad::real& y, const dyad::real& x) {
    tape.gradient(y, x);
}
