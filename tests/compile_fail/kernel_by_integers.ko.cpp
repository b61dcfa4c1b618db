// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A derivative by whole numbers does not exist at every element, either.
// expect: \[dyad\] transform: a derivative with respect to an integer does not exist

#include <dyad/array.hpp>

#include <vector>

void slopes(const std::vector<int>& n, const std::vector<double>& x) {
    static_cast<void>(dyad::kernel(dyad::grad<0>([](auto a, auto b) { return a * b; }))(n, x));
}
