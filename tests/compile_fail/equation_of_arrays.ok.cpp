// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Of the sum of the array.

#include <dyad/array.hpp>
#include <dyad/implicit.hpp>

auto slope(const xt::xtensor<double, 1>& w) {
    const auto root = [](auto v) { return dyad::implicit_root([](auto y, auto u) { return y * y - sum(u); }, [](auto u) { return sqrt(sum(u)); })(v); };
    return dyad::grad(root)(w);
}
