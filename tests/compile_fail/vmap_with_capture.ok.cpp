// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

auto scaled(const xt::xtensor<double, 2>& a, double c) {
    return dyad::evaluate([](auto x, auto s) { return dyad::vmap([&](auto row) { return s * row; })(x); }, a, c);
}
