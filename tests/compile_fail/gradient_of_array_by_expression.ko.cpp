// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A gradient is of one number, also where the argument is an expression and an array comes from around.
// expect: \[dyad\] grad: the function must return one number; reduce it with sum or mean
// max-lines: 50

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto value(const vector& w) {
    const dyad::var<"t"> t{2.0};
    return dyad::grad([&w](auto u) { return u * u * w; })(t).value();
}
