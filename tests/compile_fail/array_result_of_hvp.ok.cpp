// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto curved(const vector& x) {
    return dyad::hvp([](auto a) { return sum(a * a * a); })(x, x);
}
