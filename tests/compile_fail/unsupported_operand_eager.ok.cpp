// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

#include <string>

int main() {
    dyad::var<"x"> x{3.0};
    return (dyad::sin(x) + 1.0).value() > 0 ? 0 : 1;
}
