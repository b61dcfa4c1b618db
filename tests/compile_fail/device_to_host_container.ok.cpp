// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/cuda.hpp>

#include <vector>

auto flags(const dyad::device_array<double, 1>& x) {
    return dyad::to_host<std::vector<unsigned char>>(x);
}
