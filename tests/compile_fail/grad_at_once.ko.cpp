// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A transform takes the function alone; the message shows the call.
// expect: \[dyad\] grad: it takes a function alone and returns one: grad\(f\)\(x\.\.\.\), by some arguments grad<0>

#include <dyad/core.hpp>

double slope(double x) {
    return dyad::grad([](auto u) { return u * u; }, x);
}
