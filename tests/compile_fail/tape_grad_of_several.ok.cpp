// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/tape.hpp>

#include <tuple>

auto slope() { return dyad::tape_jacobian([](auto x) { return std::tuple{x, x * x}; })(3.0); }
