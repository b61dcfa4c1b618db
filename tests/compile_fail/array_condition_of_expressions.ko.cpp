// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// An array steers no loop of expressions.
// expect: \[dyad\] control flow: a condition, or a number of rounds, is an array
// max-lines: 25

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto value(const vector& x) {
    const dyad::var<"x", vector> v{x};
    return dyad::while_loop([](auto s) { return s < 10; }, [](auto s) { return s * s + 2; }, v).value();
}
