// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A string is no operand of a traced value.
// expect: \[dyad\] operator: an operand is neither a number nor a traced value nor an expression

#include <dyad/core.hpp>

#include <string>

int main() {
    auto f = [](auto x) { return dyad::sin(x) + std::string{}; };
    return dyad::grad(f)(3.0) < 0 ? 0 : 1;
}
