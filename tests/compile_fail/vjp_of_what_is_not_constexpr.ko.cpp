// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The compiler cannot read a variable of the program.
// expect: \[dyad\] trace: the compiler cannot run this function: .*as std::sqrt\(2.0\) \(dyad::sqrt\(2.0\) is\)

#include <dyad/core.hpp>

double factor = 3;

double value() {
    auto [v, pull] = dyad::vjp([](auto x) { return factor * x; })(2.0);
    return v + pull(1.0);
}
