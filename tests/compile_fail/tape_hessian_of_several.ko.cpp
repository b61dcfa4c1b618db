// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// max-lines: 40
// expect: \[dyad\] tape_grad, tape_hessian: the function must return one number

#include <dyad/tape.hpp>

#include <array>

auto slope() { return dyad::tape_hessian([](auto x) { return std::array{x, x * x}; })(3.0); }
