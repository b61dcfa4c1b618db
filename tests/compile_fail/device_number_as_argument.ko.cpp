// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A number that lies on the device is for results.
// expect: \[dyad\] device_array<T, 0>: a number on the device is for results; as an argument, pass a number of the host

#include <dyad/cuda.hpp>

void scaled(const dyad::device_array<double, 1>& x, const dyad::device_array<double, 0>& by) {
    static_cast<void>(dyad::evaluate([](auto a, auto b) { return dyad::sum(a * b); }, x, by));
}
