// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

void twice(vector& x) {
    dyad::kernel([](auto a) { return 2 * a; }).into(xt::view(x, xt::all()), x);
}
