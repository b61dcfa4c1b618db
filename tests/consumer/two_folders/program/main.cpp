// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
#include <dyad/array.hpp>

#include <cmath>
#include <cstdio>

#include "slope.hpp"

int main() {
    const xt::xtensor<double, 1> w{1, -2};
    const xt::xtensor<double, 2> X{{1, 2}, {3, 4}, {5, 6}};
    const auto dw = slope(w, X); // 2 Xᵀ X w, X w = (-3, -5, -7)
    const auto dx = dyad::grad([](auto x) { return sum(exp(x)); })(w);
    std::printf("slopes %g, %g; %g, %g\n", dw(0), dw(1), dx(0), dx(1));
    const bool good = std::abs(dw(0) + 106) < 1e-10 && std::abs(dw(1) + 136) < 1e-10 && std::abs(dx(0) - std::exp(1.0)) < 1e-14 &&
                      std::abs(dx(1) - std::exp(-2.0)) < 1e-14;
    return good ? 0 : 1;
}
