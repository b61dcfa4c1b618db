// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

double slope(const vector& x, double scale) {
    return dyad::value_and_grad([scale](auto u) {
               return scale * sum(dyad::jvp([](auto v) { return v * v; })(u, u).second);
           })(x).first;
}
