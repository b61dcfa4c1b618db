// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A variable of the name, but of another number type, is not the one in the expression.
// expect: \[dyad\] expression: two variables of one name, but of different number types

#include <dyad/core.hpp>

int main() {
    dyad::var<"x"> a{1};
    dyad::var<"x", float> b{1};
    return diff(a * a, b).value() == 2 ? 0 : 1;
}
