// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A function that forgets its return.
// expect: \[dyad\] call: the function returns nothing

#include <dyad/core.hpp>

double value() {
    auto [v, pull] = dyad::vjp([](auto x) { static_cast<void>(x * x); })(1.0);
    return v + pull(1.0);
}
