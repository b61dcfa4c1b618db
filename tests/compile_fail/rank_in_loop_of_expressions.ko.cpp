// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What goes round a loop of expressions keeps its axes.
// expect: \[dyad\] control flow: the body of a loop gives an array of another rank than what goes round
// max-lines: 25

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto value(const vector& x) {
    const dyad::var<"x", vector> v{x};
    return dyad::fori_loop(3, [&](auto, auto s) { return sum(s * v); }, v).value();
}
