// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double value() {
    auto f = [](auto x) { return where(x > 0, x, -x); };
    auto [v, pull] = dyad::vjp(f)(1.0);
    return v + pull(1.0);
}
