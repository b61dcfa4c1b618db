// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// expect: \[dyad\] tape_grad, tape_hessian: the function must return one number

#include <dyad/tape.hpp>

#include <tuple>

auto slope() { return dyad::tape_grad([](auto x) { return std::tuple{x, x * x}; })(3.0); }
