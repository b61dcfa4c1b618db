// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Inside a function that captures, whole Jacobians of arrays need a trace; gradients and products do not.
// expect: \[dyad\] nesting: a kernel, a sparse transform, and jacobian and hessian of arrays take no expressions
// max-lines: 45

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

double slope(const vector& x, double scale) {
    return dyad::value_and_grad([scale](auto u) {
               return scale * sum(dyad::jacobian([](auto v) { return v * v; })(u));
           })(x).first;
}
