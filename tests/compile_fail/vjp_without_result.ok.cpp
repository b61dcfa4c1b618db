// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double value() {
    auto [v, pull] = dyad::vjp([](auto x) { return x * x; })(1.0);
    return v + pull(1.0);
}
