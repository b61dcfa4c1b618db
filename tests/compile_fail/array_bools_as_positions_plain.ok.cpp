// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

double chosen(const xt::xtensor<double, 1>& x, const xt::xtensor<int, 1>& positions) {
    return dyad::sum(dyad::take(x, positions));
}
