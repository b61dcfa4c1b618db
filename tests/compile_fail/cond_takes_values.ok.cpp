// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope(double x) {
    return dyad::grad([](auto x) { return dyad::cond(x > 0, [](auto x) { return x * x; }, [](auto x) { return -x; }, x); })(x);
}
