// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A kernel has a result for each element.
// expect: \[dyad\] target: it has another number of axes than its result

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

void twice(double& out, const vector& x) {
    dyad::kernel([](auto a) { return 2 * a; }).into(out, x);
}
