// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Primals and tangents go to what the transform returns.
// expect: \[dyad\] jvp: it takes a function alone and returns one: jvp\(f\)\(primals, tangents\)

#include <dyad/core.hpp>

double tangent(double x, double dx) {
    return dyad::jvp([](auto u) { return u * u; }, x, dx).second;
}
