// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// As an argument the sum has its slope.

#include <dyad/array.hpp>
#include <dyad/implicit.hpp>

auto slope(const xt::xtensor<double, 1>& w) {
    const auto end = [](auto w) { return dyad::odeint_adjoint([](auto, auto y, auto k) { return -k * y; }, 1.0, 0.0, 1.0, sum(square(w))); };
    return dyad::grad(end)(w);
}
