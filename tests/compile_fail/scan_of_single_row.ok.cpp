// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

auto products(const xt::xtensor<double, 2>& a, const xt::xtensor<double, 1>& w) {
    return dyad::evaluate([](auto x, auto y) { return dyad::vmap([](auto r, auto s) { return sum(r * s); })(x, broadcast_like(y, x)); }, a, w);
}
