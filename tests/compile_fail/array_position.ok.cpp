// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

vector slope(const vector& x) {
    auto loss = [](auto a) { return sum(a); };
    return dyad::grad<0>(loss)(x);
}
