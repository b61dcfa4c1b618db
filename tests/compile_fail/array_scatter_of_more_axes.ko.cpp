// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Positions of a vector select numbers: rows cannot be added there.
// expect: \[dyad\] scatter_add: .*more than they select

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

vector slope(const vector& x, const xt::xtensor<int, 1>& at, const matrix& rows) {
    auto loss = [](auto a, auto k, auto v) { return sum(square(scatter_add(a, k, v))); };
    return dyad::grad<0>(loss)(x, at, rows);
}
