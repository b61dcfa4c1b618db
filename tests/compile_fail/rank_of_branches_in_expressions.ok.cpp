// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto value(const vector& x) {
    const dyad::var<"x", vector> v{x};
    return dyad::cond(sum(v) > 1, [](auto u) { return sum(u) * u; }, [](auto u) { return u * u; }, v).value();
}
