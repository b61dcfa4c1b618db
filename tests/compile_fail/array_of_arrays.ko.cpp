// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What fills an array is a number.
// expect: \[dyad\] full: the value is an array; it is a number, broadcast_to stretches arrays

#include <dyad/array.hpp>

auto sized(const xt::xtensor<double, 2>& x) {
    return dyad::evaluate([](auto a) { return a + dyad::full(a, a.shape(0), 1); }, x);
}
