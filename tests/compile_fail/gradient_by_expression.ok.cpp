// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope() {
    dyad::var<"x"> x{3.0};
    dyad::var<"u"> u{(x * x).value()};
    return std::get<0>(dyad::gradient(u * u, u));
}
