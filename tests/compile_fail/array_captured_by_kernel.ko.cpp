// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A kernel is a function of numbers; an array that it captures would be one at each element.
// expect: \[dyad\] capture: a kernel works on numbers; pass a captured array as an argument

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto scaled(const vector& x, const vector& factor) {
    return dyad::kernel([factor](auto element) { return element * factor; })(x);
}
