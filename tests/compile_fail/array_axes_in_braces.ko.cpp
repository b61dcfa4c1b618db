// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Axes are arguments of their own.
// expect: \[dyad\] axis, size, position: a whole number that the compiler knows, one argument each, as in sum\(x, 0, 1

#include <dyad/array.hpp>

auto slope(const xt::xtensor<double, 2>& x) {
    return dyad::grad([](auto a) { return sum(square(sum(a, {0}))); })(x);
}
