// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Elements are numbers.
// expect: \[dyad\] argument or result: its type is neither a number nor .*array of numbers

#include <dyad/array.hpp>

#include <string>
#include <vector>

auto slope(const std::vector<std::string>& x) {
    auto loss = [](auto a) { return sum(a); };
    return dyad::grad(loss)(x);
}
