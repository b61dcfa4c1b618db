// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

#include <iostream>

double slope() {
    auto f = [](auto x) { return x * x; };
    std::cout << f(2.0) << '\n';
    return dyad::grad(f)(2.0);
}
