// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Positions are template arguments.
// expect: \[dyad\] grad: it takes a function alone and returns one: grad\(f\)\(x\.\.\.\), by some arguments grad<0>

#include <dyad/core.hpp>

double slope(double x, double y) {
    return dyad::grad([](auto u, auto v) { return u * v; }, 0)(x, y);
}
