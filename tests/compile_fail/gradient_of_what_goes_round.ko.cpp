// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Nor has it a gradient in numbers.
// expect: \[dyad\] branch: in a function with captured values.*what goes round a loop
// max-lines: 50

#include <dyad/core.hpp>

double value() {
    dyad::var<"x"> x{3.0};
    return dyad::fori_loop(1, [&](auto, auto s) { return s + std::get<0>(dyad::gradient(s * s * x, x)); }, 1 * x).value();
}
