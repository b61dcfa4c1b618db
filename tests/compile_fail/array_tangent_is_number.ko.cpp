// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A direction of an array is an array.
// expect: \[dyad\] jvp, hvp: the tangents must have the structure of the primals, an array

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto along(const vector& x) {
    return dyad::jvp([](auto a) { return sum(a * a); })(x, 1.0).second;
}
