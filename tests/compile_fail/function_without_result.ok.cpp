// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A function that forgets its return.

#include <dyad/core.hpp>

double slope() {
    auto f = [](auto x) { return x * x; };
    return dyad::grad(f)(2.0);
}
