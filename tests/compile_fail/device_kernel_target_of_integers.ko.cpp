// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A kernel on a device does not cut its results to whole numbers, either.
// expect: \[dyad\] target: it keeps whole numbers, its result is a real one
// max-lines: 26

#include <dyad/cuda.hpp>

void halve(const dyad::device_array<double, 1>& x, dyad::device_array<int, 1>& out) {
    dyad::kernel([](auto a) { return a / 2; }).into(out, x);
}
