// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A string is no operand of an eager expression.
// expect: \[dyad\] operator: an operand is neither a number nor a traced value nor an expression

#include <dyad/core.hpp>

#include <string>

int main() {
    dyad::var<"x"> x{3.0};
    auto sum = dyad::sin(x) + std::string{};
    return 0;
}
