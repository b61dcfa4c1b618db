// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What is differentiated by is an argument.

#include <dyad/implicit.hpp>

double slope(double y, double k) {
    const auto end = [](auto y, auto k) { return dyad::odeint_adjoint([](auto, auto y, auto k) { return -k * y; }, y, 0.0, 1.0, k); };
    return dyad::grad<1>(end)(y, k);
}
