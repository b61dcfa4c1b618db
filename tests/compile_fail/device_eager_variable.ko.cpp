// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A variable of an expression holds an array of the host.
// expect: \[dyad\] device: expressions, and functions of arrays outside of a traced function, work in the host
// max-lines: 30

#include <dyad/cuda.hpp>

#include <dyad/array.hpp>

void keep(const dyad::device_array<double, 1>& x) {
    dyad::var<"w", dyad::device_array<double, 1>> w{x};
    static_cast<void>(w);
}
