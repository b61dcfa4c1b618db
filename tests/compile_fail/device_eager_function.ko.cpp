// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A function of arrays outside of a traced function would read the device's memory on the host.
// expect: \[dyad\] device: expressions, and functions of arrays outside of a traced function, work in the host
// max-lines: 24

#include <dyad/cuda.hpp>

#include <dyad/array.hpp>

double total(const dyad::device_array<double, 1>& x) {
    return dyad::sum(x);
}
