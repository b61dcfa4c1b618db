// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Programs are made for a rank; xt::eye gives an array of any.
// expect: \[dyad\] argument: the rank of this array is known only at run time; pass ranked<2>\(x\)

#include <dyad/array.hpp>

#include <xtensor/xbuilder.hpp>

auto solution(const xt::xtensor<double, 2>& A, const xt::xtensor<double, 1>& b) {
    return dyad::solve(A + xt::eye<double>(2), b);
}
