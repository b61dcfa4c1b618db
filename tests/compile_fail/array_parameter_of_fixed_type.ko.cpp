// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// expect: \[dyad\] call: the function takes these arguments, but not the traced values that stand for them; write auto

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto slope(const vector& x) {
    return dyad::grad([](const vector& y) { return dyad::sum(y * y); })(x);
}
