// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

vector slope(const vector& x, const xt::xtensor<bool, 1>& mask) {
    auto loss = [](auto a, auto m) { return sum(where(m, a, 0)); };
    return dyad::grad<0>(loss)(x, mask);
}
