// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A rule takes the arguments, the result and its cotangent.
// max-lines: 26
// expect: \[dyad\] custom_gradient: .*upstream

#include <dyad/core.hpp>

double slope() {
    auto f = [](auto x) { return dyad::custom_gradient([](auto a) { return a * a; }, [](auto a) { return 2 * a; })(x); };
    return dyad::grad(f)(2.0);
}
