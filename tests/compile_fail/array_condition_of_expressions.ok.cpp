// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto value(const vector& x) {
    const dyad::var<"x", vector> v{x};
    return dyad::while_loop([](auto s) { return sum(s) < 10; }, [](auto s) { return s * s + 2; }, v).value();
}
