// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
#include "slope.hpp"

xt::xtensor<double, 1> slope(const xt::xtensor<double, 1>& w, const xt::xtensor<double, 2>& X) {
    return dyad::grad<0>([](auto v, auto matrix) { return sum(square(dyad::matmul(matrix, v))); })(w, X);
}
