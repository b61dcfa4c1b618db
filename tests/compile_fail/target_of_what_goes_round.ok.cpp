// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto value(const vector& x) {
    const dyad::var<"x", vector> v{x};
    return dyad::fori_loop(1, [](auto, auto s) { return s * (s * s); }, v).value();
}
