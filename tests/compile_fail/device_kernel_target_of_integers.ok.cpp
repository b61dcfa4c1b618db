// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/cuda.hpp>

void halve(const dyad::device_array<double, 1>& x, dyad::device_array<int, 1>& out) {
    using dyad::floor;
    dyad::kernel([](auto a) { return floor(a / 2); }).into(out, x);
}
