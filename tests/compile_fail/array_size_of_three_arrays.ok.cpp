// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Sizes of a reshape are those of axes of at most two arrays.

#include <dyad/array.hpp>

auto sized(const xt::xtensor<double, 2>& x, const xt::xtensor<double, 2>& y, const xt::xtensor<double, 1>& z) {
    return dyad::evaluate([](auto a, auto b, auto c) { return c * dyad::zeros(a.shape(0), b.shape(0), 1); }, x, y, z);
}
