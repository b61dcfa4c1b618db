// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// One name stands for one variable; the message says which name it is.
// expect: \[dyad\] expression: two variables of one name, but of different number types
// expect: (\bx\b|"x")

#include <dyad/core.hpp>

int main() {
    dyad::var<"x"> a{1};
    dyad::var<"x", float> b{2};
    return (a * b).value() == 2 ? 0 : 1;
}
