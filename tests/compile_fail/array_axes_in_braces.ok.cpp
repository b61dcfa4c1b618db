// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Axes are arguments of their own.

#include <dyad/array.hpp>

auto slope(const xt::xtensor<double, 2>& x) {
    return dyad::grad([](auto a) { return sum(square(sum(a, 0))); })(x);
}
