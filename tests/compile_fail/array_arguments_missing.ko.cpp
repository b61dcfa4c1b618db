// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// As many arguments as the function takes.
// expect: \[dyad\] call: the function cannot be called so, with this number of arguments

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

vector slope(const vector& x) {
    auto loss = [](auto a, auto b) { return sum(a * b); };
    return dyad::grad<0>(loss)(x);
}
