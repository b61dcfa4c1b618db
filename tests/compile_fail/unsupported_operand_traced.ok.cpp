// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

#include <string>

int main() {
    auto f = [](auto x) { return dyad::sin(x) + 1.0; };
    return dyad::grad(f)(3.0) < 0 ? 0 : 1;
}
