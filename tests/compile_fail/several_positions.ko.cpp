// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Two arrays of positions are pairs in NumPy; a product of both is not what is written.
// expect: \[dyad\] array: several of the positions in x\(i, j\) are arrays

#include <dyad/array.hpp>

#include <vector>

using matrix = xt::xtensor<double, 2>;

auto picked(const matrix& x, const std::vector<int>& rows, const std::vector<int>& columns) {
    return dyad::evaluate([](auto a, auto i, auto j) { return a(i, j); }, x, rows, columns);
}
