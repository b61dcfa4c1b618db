// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A Hessian is that of a number.
// expect: \[dyad\] grad: the function must return one number; reduce it
// max-lines: 21

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto curved(const vector& x) {
    return dyad::hvp([](auto a) { return a * a * a; })(x, x);
}
