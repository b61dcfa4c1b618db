// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

double slope(const vector& x, double scale) {
    return dyad::value_and_grad<0>([](auto u, auto s) {
               return s * sum(dyad::grad([](auto v) { return sum(v * v); })(u));
           })(x, scale).first;
}
