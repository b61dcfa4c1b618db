// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The derivative by the variable in it.

#include <dyad/core.hpp>

int main() {
    dyad::var<"x"> a{1};
    return diff(a * a, a).value() == 2 ? 0 : 1;
}
