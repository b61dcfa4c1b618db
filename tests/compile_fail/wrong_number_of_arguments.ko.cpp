// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The function takes two arguments and is given one.
// expect: \[dyad\] .*argument

#include <dyad/core.hpp>

#include <tuple>

int main() {
    auto f = [](auto x, auto y) { return x * y; };
    return dyad::grad(f)(3.0) == 2.0 ? 0 : 1;
}
