// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto slope(const vector& x) {
    return dyad::grad([](auto y) { return dyad::sum(y * y); })(x);
}
