// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A function that captures numbers is run on expressions, of numbers.
// expect: \[dyad\] capture: a function with captured values cannot take a std::array, an aggregate, a vector of numbers

#include <dyad/core.hpp>
#include <xsimd/xsimd.hpp>

auto slope(double k, xsimd::batch<double> at) {
    return dyad::grad([k](auto x) { return k * x * x; })(at);
}
