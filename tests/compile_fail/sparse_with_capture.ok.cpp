// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/sparse.hpp>

double slope(double scale) {
    auto f = [](auto x, auto factor) { return factor * x * x; };
    return dyad::sparse_jacobian<0>(f)(2.0, scale).values[0];
}
