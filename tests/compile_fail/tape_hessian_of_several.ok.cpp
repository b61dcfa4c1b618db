// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/tape.hpp>

#include <array>

auto slope() { return dyad::tape_hessian([](auto x) { return std::array{x, x * x}[1]; })(3.0); }
