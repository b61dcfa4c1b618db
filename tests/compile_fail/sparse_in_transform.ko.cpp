// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A sparse matrix is of numbers; it cannot be differentiated again.
// max-lines: 21
// expect: \[dyad\] sparse: .*traced values
// expect: use jacobian or hessian

#include <dyad/sparse.hpp>

double slope(double x) {
    return dyad::grad([](auto y) { return dyad::sparse_hessian([](auto z) { return z * z * z; })(y).values[0]; })(x);
}
