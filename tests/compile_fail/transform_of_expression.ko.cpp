// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Inside a function with captured numbers transforms are of numbers; of arrays they need a trace.
// expect: \[dyad\] nesting: a transform cannot take an expression of an array
// max-lines: 45

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

double slope(const vector& x, double scale) {
    return dyad::value_and_grad([scale](auto u) {
               return scale * sum(dyad::grad([](auto v) { return sum(v * v); })(u));
           })(x).first;
}
