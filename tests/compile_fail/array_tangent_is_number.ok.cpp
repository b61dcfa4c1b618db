// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto along(const vector& x) {
    return dyad::jvp([](auto a) { return sum(a * a); })(x, x).second;
}
