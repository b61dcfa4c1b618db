// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What is real does not lose its fractions in a container of whole numbers.
// expect: \[dyad\] target: it keeps whole numbers, its result is a real one

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

void halve(const vector& x, xt::xtensor<int, 1>& out) {
    dyad::evaluate_into(out, [](auto a) { return a / 2; }, x);
}
