// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A function with captured numbers has no graph at compile time.
// expect: \[dyad\] sparse: .*captured values
// expect: sparse_jacobian<

#include <dyad/sparse.hpp>

double slope(double scale) {
    auto f = [scale](auto x) { return scale * x * x; };
    return dyad::sparse_jacobian(f)(2.0).values[0];
}
