// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A function with a captured number forgets its return.
// expect: \[dyad\] call: the function returns nothing

#include <dyad/core.hpp>

double slope(double k) {
    return dyad::grad([k](auto x) { static_cast<void>(k * x); })(2.0);
}
