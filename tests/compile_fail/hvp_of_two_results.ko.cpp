// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Two results have two Hessians.
// expect: \[dyad\] hvp: the function must return one number

#include <dyad/core.hpp>

double curvature() {
    return dyad::hvp([](auto x) { return std::tuple{x * x, x * x * x}; })(2.0, 1.0);
}
