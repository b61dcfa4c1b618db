// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

#include <vector>

using matrix = xt::xtensor<double, 2>;

auto picked(const matrix& x, const std::vector<int>& rows, const std::vector<int>& columns) {
    return dyad::evaluate([](auto a, auto i, auto j) { return dyad::take(dyad::reshape(a, -1), 3 * i + j); }, x, rows, columns);
}
