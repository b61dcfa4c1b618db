// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

#include <vector>

void slopes(const std::vector<int>& n, const std::vector<double>& x) {
    static_cast<void>(dyad::kernel(dyad::grad<1>([](auto a, auto b) { return a * b; }))(n, x));
}
