// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Nor of what it captures that is made of an array.
// expect: \[dyad\] odeint_adjoint: the function captures what is differentiated by

#include <dyad/array.hpp>
#include <dyad/implicit.hpp>

auto slope(const xt::xtensor<double, 1>& w) {
    const auto end = [](auto w) {
        auto k = sum(square(w));
        return dyad::odeint_adjoint([=](auto, auto y) { return -k * y; }, 1.0, 0.0, 1.0);
    };
    return dyad::grad(end)(w);
}
