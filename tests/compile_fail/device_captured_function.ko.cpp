// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What a function of arrays on a device needs comes as an argument.
// expect: \[dyad\] capture: a function on a device cannot have captured values; pass them as arguments

#include <dyad/cuda.hpp>

auto slope(const dyad::device_array<double, 1>& x, double by) {
    return dyad::grad([by](auto a) { return dyad::sum(a * by); })(x);
}
