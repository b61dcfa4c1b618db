// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// In NumPy a mask selects; how many it selects is known at run time only.
// expect: \[dyad\] take: conditions stand where positions belong; what they select is where\(mask, x, 0\)

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

vector slope(const vector& x) {
    auto loss = [](auto a) { return sum(a[a > 0]); };
    return dyad::grad(loss)(x);
}
