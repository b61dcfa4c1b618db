// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Two results want two places.
// expect: \[dyad\] target: it must have the structure of the function.s result

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

void powers(vector& out, const vector& x) {
    dyad::kernel([](auto a) { return std::tuple{a * a, a * a * a}; }).into(out, x);
}
