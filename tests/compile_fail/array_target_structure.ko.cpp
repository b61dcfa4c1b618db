// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A value and a gradient do not go into one array.
// expect: \[dyad\] target: it must have the structure of the function.s result

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

void slope(vector& out, const vector& x) {
    auto loss = [](auto a) { return sum(a * a); };
    dyad::evaluate_into(out, dyad::value_and_grad(loss), x);
}
