// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

#include <tuple>

int main() {
    auto f = [](auto x, auto y) { return x * y; };
    return std::get<0>(dyad::grad(f)(3.0, 2.0)) == 2.0 ? 0 : 1;
}
