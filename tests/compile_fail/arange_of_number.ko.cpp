// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The number of positions is a size of an array.
// expect: \[dyad\] arange: in a function that is traced, the number of elements is x.size\(\) or x.shape\(k\) of an array

#include <dyad/array.hpp>

auto slope(const xt::xtensor<double, 1>& x) {
    return dyad::grad([](auto a) { return sum(a * arange(sum(a))); })(x);
}
