// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Expressions of arrays know loops over numbers, but no branches.
// expect: \[dyad\] cond: in expressions of arrays, and so in a function of arrays with captured values.*pass what it captures as arguments

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto value(const vector& x, double limit) {
    const dyad::var<"x", vector> v{x};
    return dyad::cond(sum(v) > limit, [](auto y) { return sum(y * y); }, [](auto y) { return sum(y); }, v);
}
