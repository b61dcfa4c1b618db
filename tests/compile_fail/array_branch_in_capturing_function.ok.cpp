// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto value(const vector& x, double limit) {
    auto f = [](auto a, auto most) {
        return dyad::cond(sum(a) > most, [](auto y) { return sum(y * y); }, [](auto y) { return sum(y); }, a);
    };
    return dyad::evaluate(f, x, limit);
}
