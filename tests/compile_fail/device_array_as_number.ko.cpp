// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// An array of the device is no number.
// expect: \[dyad\] to_host: one number is to be made of an array; name a container

#include <dyad/cuda.hpp>

double number(const dyad::device_array<double, 1>& x) {
    return dyad::to_host<double>(x);
}
