// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto slope(const vector& x) {
    auto loss = [](auto a) { return a * a; };
    return dyad::jacobian(loss)(x);
}
