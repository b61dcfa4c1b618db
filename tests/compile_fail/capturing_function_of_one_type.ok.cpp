// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

template <class T>
constexpr T scaled(T x, T k) {
    return k * x * x;
}
double slope(double k) {
    return dyad::grad<0>([](auto x, auto scale) { return scaled(x, scale); })(2.0, k);
}
