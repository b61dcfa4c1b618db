// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The cotangent of an array is an array.
// expect: \[dyad\] pullback: the cotangent must have the structure of the function.s result, an array

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto back(const vector& x) {
    return dyad::vjp([](auto a) { return a * a; })(x).second(1.0);
}
