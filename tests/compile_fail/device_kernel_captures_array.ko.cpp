// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A kernel on a device takes arrays as arguments alone, as on the host.
// expect: \[dyad\] capture: a kernel works on numbers; pass a captured array as an argument
// max-lines: 30

#include <dyad/cuda.hpp>

#include <dyad/array.hpp>

void scale(const dyad::device_array<double, 1>& x, const xt::xtensor<double, 1>& by) {
    static_cast<void>(dyad::kernel([by](auto a) { return a * by; })(x));
}
