// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// So would one of numbers, element by element.
// expect: \[dyad\] device: expressions, and functions of arrays outside of a traced function, work in the host

#include <dyad/cuda.hpp>

#include <dyad/array.hpp>

void slopes(const dyad::device_array<double, 1>& x) {
    static_cast<void>(dyad::exp(x));
}
