// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

vector slope(const matrix& x, const vector& w) {
    auto loss = [](auto a, auto b) { return sum(matmul(a, b)); };
    return dyad::grad<1>(loss)(x, w);
}
