// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A function that captures numbers runs on expressions, which no loop over arrays goes through.
// expect: \[dyad\] vmap: the function captures numbers or arrays; pass what it captures as an argument

#include <dyad/array.hpp>

auto scaled(const xt::xtensor<double, 2>& a, double c) {
    return dyad::vmap([c](auto x) { return c * x; })(a);
}
