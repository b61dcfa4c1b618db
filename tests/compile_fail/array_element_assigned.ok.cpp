// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

vector slope(const vector& x) {
    auto loss = [](auto a) {
        auto first = a[0];
        first *= 2;
        return sum(a) + first;
    };
    return dyad::grad(loss)(x);
}
