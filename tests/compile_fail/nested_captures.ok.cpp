// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

double slope(const xt::xtensor<double, 1>& w, double scale) {
    auto outer = [&](auto x) {
        const auto scaled = dyad::grad([&](auto y) { return sum(scale * x * y * y); })(w);
        return x * scaled(0);
    };
    return dyad::grad(outer)(1.0);
}
