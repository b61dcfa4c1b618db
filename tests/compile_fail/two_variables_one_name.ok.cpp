// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

int main() {
    dyad::var<"x"> a{1};
    dyad::var<"y", float> b{2};
    return (a * b).value() == 2 ? 0 : 1;
}
