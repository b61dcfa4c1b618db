// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// In a function that captures, a kernel's function would take the outer argument for a constant.
// max-lines: 60
// expect: \[dyad\] nesting: a function captures the argument of another one.*pass captured values as arguments

#include <dyad/array.hpp>

double slope(const xt::xtensor<double, 1>& w, double scale) {
    auto outer = [&](auto x) {
        const auto scaled = dyad::kernel([&](auto y) { return scale * x * y * y; })(w);
        return x * scaled(0);
    };
    return dyad::grad(outer)(1.0);
}
