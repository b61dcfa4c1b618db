// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Nor does any other function on a device.
// expect: \[dyad\] capture: a function on a device cannot have captured values; pass them as arguments

#include <dyad/cuda.hpp>

#include <dyad/array.hpp>

void scale(const dyad::device_array<double, 1>& x, const dyad::device_array<double, 1>& by) {
    static_cast<void>(dyad::grad([by](auto a) { return dyad::sum(a * by); })(x));
}
