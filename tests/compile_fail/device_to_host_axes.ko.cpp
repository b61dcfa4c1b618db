// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A container for a device's array has its axes.
// expect: \[dyad\] to_host: the container has another number of axes than the array

#include <dyad/cuda.hpp>

#include <vector>

auto rows(const dyad::device_array<double, 2>& x) {
    return dyad::to_host<std::vector<double>>(x);
}
