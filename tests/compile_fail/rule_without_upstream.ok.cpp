// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A rule takes the arguments, the result and its cotangent.

#include <dyad/core.hpp>

double slope() {
    auto f = [](auto x) { return dyad::custom_gradient([](auto a) { return a * a; }, [](auto a, auto, auto up) { return 2 * a * up; })(x); };
    return dyad::grad(f)(2.0);
}
