// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto slope(const vector& x) {
    const vector factor{1, 2};
    return dyad::grad([&factor](auto y) { return dyad::sum(y * factor); })(x);
}
