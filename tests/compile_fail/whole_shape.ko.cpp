// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Sizes of a traced array are numbers, one of each axis.
// expect: \[dyad\] shape: of a traced array one axis at a time: x\.shape\(0\)
// max-lines: 40

#include <dyad/array.hpp>

double mean_of_rows(const xt::xtensor<double, 2>& X) {
    return dyad::evaluate([](auto x) { return sum(x) / x.shape(); }, X);
}
