// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double value() {
    auto f = [](auto x) { return where(x > 0, x, -x); };
    auto [v, slope] = dyad::jvp(f)(1.0, 1.0);
    return v + slope;
}
