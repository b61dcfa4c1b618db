// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What a body assigns outside of itself has no one value there.
// expect: \[dyad\] trace: .*out of the body of a loop

#include <utility>

#include <dyad/core.hpp>

double slope() {
    auto f = [](auto x) {
        auto total = 0 * x;
        auto last = dyad::fori_loop(3, [&](auto, auto s) {
            total = total + s;
            return s * 1.5;
        }, x);
        return total + last;
    };
    return dyad::grad(f)(2.0);
}
