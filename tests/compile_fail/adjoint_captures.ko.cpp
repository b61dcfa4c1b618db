// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The adjoint equation knows nothing of what its right-hand side captures.
// expect: \[dyad\] odeint_adjoint: the function captures what is differentiated by

#include <dyad/implicit.hpp>

double slope(double y, double k) {
    const auto end = [](auto y, auto k) { return dyad::odeint_adjoint([&](auto, auto y) { return -k * y; }, y, 0.0, 1.0); };
    return dyad::grad<1>(end)(y, k);
}
