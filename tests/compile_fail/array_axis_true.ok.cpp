// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What keeps dimensions is keep_dims, not true.

#include <dyad/array.hpp>

auto slope(const xt::xtensor<double, 2>& x) {
    return dyad::grad([](auto a) { return sum(a - mean(a, 0, dyad::keep_dims)); })(x);
}
