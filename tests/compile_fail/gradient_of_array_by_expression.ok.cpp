// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto value(const vector& w) {
    const dyad::var<"t"> t{2.0};
    return dyad::grad([&w](auto u) { return sum(u * u * w); })(t).value();
}
