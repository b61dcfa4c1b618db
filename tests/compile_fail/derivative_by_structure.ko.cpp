// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// There is no second derivative by two numbers that were one.
// expect: \[dyad\] derivative: it is by one number; for arrays and structures take grad, jacobian or hessian

#include <dyad/core.hpp>

#include <array>

auto curvature() {
    return dyad::derivative<2>([](auto x) { return x[0] * x[1]; })(std::array{1.0, 2.0});
}
