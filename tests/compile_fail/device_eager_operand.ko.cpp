// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// An expression does not copy an operand from the device behind the back.
// expect: \[dyad\] device: expressions, and functions of arrays outside of a traced function, work in the host

#include <dyad/cuda.hpp>

#include <dyad/array.hpp>

using vector = dyad::tensor<double, 1>;

void residual(const dyad::var<"w", vector>& w, const dyad::device_array<double, 1>& x) {
    static_cast<void>(w - x);
}
