// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Every operator refuses what is no number.
// expect: \[dyad\] operator: an operand is neither a number nor a traced value nor an expression

#include <dyad/core.hpp>

struct label {};

int main() {
    auto f = [](auto x) { return dyad::where(x == label{}, x, -x); };
    return dyad::grad(f)(3.0) < 0 ? 0 : 1;
}
