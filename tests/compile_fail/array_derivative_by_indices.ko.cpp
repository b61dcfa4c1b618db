// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Positions are whole numbers: data, not arguments to differentiate by.
// expect: \[dyad\] transform: a derivative with respect to integers does not exist
// expect: grad<

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;
using indices = xt::xtensor<int, 1>;

auto slope(const vector& x, const indices& i) {
    auto loss = [](auto a, auto at) { return sum(take(a, at)); };
    return std::get<0>(dyad::grad(loss)(x, i));
}
