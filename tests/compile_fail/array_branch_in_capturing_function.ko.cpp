// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Expressions of arrays know loops over numbers, but no branches.
// expect: \[dyad\] cond: .*captured
// expect: arguments

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto value(const vector& x, double limit) {
    const dyad::var<"x", vector> v{x};
    return dyad::cond(sum(v) > limit, [](auto y) { return sum(y * y); }, [](auto y) { return sum(y); }, v);
}
