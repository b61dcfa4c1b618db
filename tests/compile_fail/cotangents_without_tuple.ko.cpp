// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The cotangents of two results are one tuple.
// expect: \[dyad\] pullback: it takes one cotangent

#include <dyad/core.hpp>

double slope() {
    auto [v, pull] = dyad::vjp([](auto x) { return std::tuple{x, x * x}; })(2.0);
    return pull(1.0, 0.0);
}
