// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// expect: \[dyad\] take: conditions stand where positions belong; what they select is where\(mask, x, 0\)

#include <dyad/array.hpp>

double chosen(const xt::xtensor<double, 1>& x, const xt::xtensor<bool, 1>& mask) {
    return dyad::sum(dyad::take(x, mask));
}
