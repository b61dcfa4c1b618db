// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A sum of traced values begins with one.
// max-lines: 26
// expect: \[dyad\] assignment: a plain number cannot hold

#include <array>

#include <dyad/core.hpp>

auto slope(const std::array<double, 3>& x) {
    return dyad::grad([](auto a) {
        auto sum = 0.0;
        for (auto e : a) sum += e * e;
        return sum;
    })(x);
}
