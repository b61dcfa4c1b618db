// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/cuda.hpp>

double number(const dyad::device_array<double, 0>& x) {
    return dyad::to_host<double>(x);
}
