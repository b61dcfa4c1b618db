// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/cuda.hpp>

#include <dyad/array.hpp>

double total(const dyad::device_array<double, 1>& x) {
    return dyad::evaluate([](auto a) { return dyad::sum(a); }, x);
}
