// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Both functions of a branch return the same structure.
// max-lines: 26
// expect: \[dyad\] cond: the two functions return different numbers of values

#include <tuple>

#include <dyad/core.hpp>

double slope(double x) {
    return dyad::grad([](auto y) {
        auto [a, b] = dyad::cond(y > 0, [](auto z) { return std::tuple{z, z * z}; }, [](auto z) { return std::tuple{z}; }, y);
        return a * b;
    })(x);
}
