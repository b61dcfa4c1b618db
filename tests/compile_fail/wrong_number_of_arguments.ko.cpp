// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The function takes two arguments and is given one.
// expect: \[dyad\] call: the function cannot be called so, with this number of arguments

#include <dyad/core.hpp>

#include <tuple>

int main() {
    auto f = [](auto x, auto y) { return x * y; };
    return dyad::grad(f)(3.0) == 2.0 ? 0 : 1;
}
