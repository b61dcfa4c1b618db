// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double factor = 3;

double value() {
    auto [v, pull] = dyad::vjp<0>([](auto x, auto k) { return k * x; })(2.0, factor);
    return v + pull(1.0);
}
