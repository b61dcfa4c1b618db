// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope() {
    return dyad::grad([](auto x) { return dyad::cond(x > 0, [](auto y) { return y; }, [](auto y) { return -y; }, x); })(3.0);
}
