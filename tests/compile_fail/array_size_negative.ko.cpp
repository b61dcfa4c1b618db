// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A size of an array of one value is a number that is not negative.
// expect: \[dyad\] full, zeros, ones: a size is negative, or too large to be written

#include <dyad/array.hpp>

auto sized(const xt::xtensor<double, 2>& x) {
    return dyad::evaluate([](auto a) { return a + dyad::ones(a.shape(0), -1); }, x);
}
