// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A root that is a number has an equation of numbers.
// expect: \[dyad\] implicit_root, fixed_point, odeint, odeint_adjoint: an array stands where numbers belong

#include <dyad/array.hpp>
#include <dyad/implicit.hpp>

auto slope(const xt::xtensor<double, 1>& w) {
    const auto root = [](auto v) { return dyad::implicit_root([](auto y, auto u) { return y * y - u; }, [](auto u) { return sqrt(sum(u)); })(v); };
    return dyad::grad(root)(w);
}
