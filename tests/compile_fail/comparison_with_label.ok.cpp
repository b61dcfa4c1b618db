// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

int main() {
    auto f = [](auto x) { return dyad::where(x == 2, x, -x); };
    return dyad::grad(f)(3.0) < 0 ? 0 : 1;
}
