// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Rows that are gone through side by side are as many of each array.
// expect: \[dyad\] scan, map, vmap: a number stands where arrays belong, or an array has a single element

#include <dyad/array.hpp>

auto products(const xt::xtensor<double, 2>& a, const xt::xtensor<double, 1>& w) {
    return dyad::evaluate([](auto x, auto y) { return dyad::vmap([](auto r, auto s) { return sum(r * s); })(x, expand_dims(y, 0)); }, a, w);
}
