// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Arrays are arguments, also those that are no more than positions.
// expect: \[dyad\] array: a plain array stands beside traced values; pass it as a further argument

#include <dyad/array.hpp>

auto slope(const xt::xtensor<double, 2>& x) {
    return dyad::grad([](auto y) { return sum(take(y, std::array{0, 1, 1}, 1)); })(x);
}
