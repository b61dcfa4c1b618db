// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;
using indices = xt::xtensor<int, 1>;

auto slope(const vector& x, const indices& i) {
    auto loss = [](auto a, auto at) { return sum(take(a, at)); };
    return dyad::grad<0>(loss)(x, i);
}
