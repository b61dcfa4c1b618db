// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/implicit.hpp>

double slope(double c) {
    return dyad::grad<0>([](auto k, auto s) { return s * dyad::odeint([](auto, auto y, auto by) { return -by * y; }, 1.0, 0.0, 1.0, k); })(0.5, c);
}
