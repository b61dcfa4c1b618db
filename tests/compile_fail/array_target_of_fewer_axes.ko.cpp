// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A matrix does not go into a vector.
// expect: \[dyad\] target: it has another number of axes than its result
// expect: takes_axes

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

void squares(vector& out, const matrix& x) {
    dyad::evaluate_into(out, [](auto a) { return a * a; }, x);
}
