// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The derivative by what an equation captures would be lost.
// expect: \[dyad\] implicit_root, fixed_point, odeint_adjoint: the function captures what is differentiated by

#include <dyad/implicit.hpp>

double slope(double x, double a) {
    const auto root = [](auto x, auto a) {
        return dyad::implicit_root([&](auto y, auto a) { return y * y - x * a; }, [&](auto a) { return sqrt(stop_gradient(x) * a); })(a);
    };
    return dyad::grad<0>(root)(x, a);
}
