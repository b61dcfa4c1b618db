// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A function that forgets its return.
// expect: \[dyad\] call: .*returns nothing

#include <dyad/core.hpp>

double slope() {
    auto f = [](auto x) { static_cast<void>(x * x); };
    return dyad::grad(f)(2.0);
}
