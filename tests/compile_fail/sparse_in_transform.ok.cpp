// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/sparse.hpp>

double slope(double x) {
    return dyad::grad([](auto y) { return dyad::hessian([](auto z) { return z * z * z; })(y); })(x);
}
