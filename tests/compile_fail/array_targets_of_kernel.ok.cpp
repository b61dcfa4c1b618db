// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

void powers(std::tuple<vector, vector>& out, const vector& x) {
    dyad::kernel([](auto a) { return std::tuple{a * a, a * a * a}; }).into(out, x);
}
