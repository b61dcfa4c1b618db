// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The elements that a kernel goes through have no value where a function with captured values runs: no branch can ask.
// expect: \[dyad\] branch: in a function with captured values, an element of a kernel.s arrays.*choose with where
// max-lines: 40

#include <dyad/array.hpp>

#include <vector>

double first(double c) {
    const std::vector<double> v{0.5, 2};
    return dyad::kernel([c](auto x) { return x * (x > 1 ? c : 1.0); })(v)[0];
}
