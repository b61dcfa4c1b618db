// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

double slope(const xt::xtensor<double, 1>& x) {
    return dyad::grad([](auto x) { return sum(x * x); })(x)(0);
}
