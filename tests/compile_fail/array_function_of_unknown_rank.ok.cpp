// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

#include <xtensor/xbuilder.hpp>

auto solution(const xt::xtensor<double, 2>& A, const xt::xtensor<double, 1>& b) {
    return dyad::solve(dyad::ranked<2>(A + xt::eye<double>(2)), b);
}
