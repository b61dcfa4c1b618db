// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Both functions of a branch of expressions give results of as many axes.
// expect: \[dyad\] control flow: the body of a loop gives an array of another rank.*or the two functions of cond give such
// max-lines: 40

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto value(const vector& x) {
    const dyad::var<"x", vector> v{x};
    return dyad::cond(sum(v) > 1, [](auto u) { return sum(u); }, [](auto u) { return u * u; }, v).value();
}
