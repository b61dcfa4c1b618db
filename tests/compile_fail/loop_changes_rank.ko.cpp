// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A vector goes in, a number comes out.
// expect: \[dyad\] control flow: the body of a loop gives an array of another rank than what goes round

#include <dyad/array.hpp>

double slope(const xt::xtensor<double, 1>& x) {
    return dyad::value_and_grad([](auto x) { return dyad::fori_loop(3, [](auto, auto s) { return sum(s); }, x); })(x).first;
}
