// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

vector slope(const vector& x) {
    constexpr auto f = [](auto e) { return e * e; };
    auto loss = [=](auto a) { return sum(f(a)); };
    static_cast<void>(dyad::kernel(f)(x));
    return dyad::grad(loss)(x);
}
