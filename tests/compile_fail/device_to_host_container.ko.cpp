// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What holds no numbers side by side takes none.
// expect: \[dyad\] to_host: a device.s array comes into a std::vector of numbers, a container of xtensor.s, or a number

#include <dyad/cuda.hpp>

#include <vector>

auto flags(const dyad::device_array<double, 1>& x) {
    return dyad::to_host<std::vector<bool>>(x);
}
