// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// While the compiler traces there is nothing to print.
// expect: \[dyad\] print: a traced value has no value yet

#include <dyad/core.hpp>

#include <iostream>

double slope() {
    auto f = [](auto x) {
        std::cout << x << '\n' << std::endl;
        return x * x;
    };
    return dyad::grad(f)(2.0);
}
