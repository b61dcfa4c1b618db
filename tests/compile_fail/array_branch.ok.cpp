// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

vector slope(const vector& x) {
    auto loss = [](auto a) { return where(sum(a) > 0, sum(a), sum(a * a)); };
    return dyad::grad(loss)(x);
}
