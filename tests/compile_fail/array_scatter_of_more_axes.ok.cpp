// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

vector slope(const vector& x, const xt::xtensor<int, 1>& at, const vector& v) {
    auto loss = [](auto a, auto k, auto b) { return sum(square(scatter_add(a, k, b))); };
    return dyad::grad<0>(loss)(x, at, v);
}
