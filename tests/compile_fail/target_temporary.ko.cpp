// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What goes into a temporary container is lost. (A view is one that shows something that stays.)
// expect: \[dyad\] target: it is a temporary, with which the results would go

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

void twice(const vector& x) {
    dyad::kernel([](auto a) { return 2 * a; }).into(vector(x), x);
}
