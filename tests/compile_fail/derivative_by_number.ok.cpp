// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope() {
    dyad::var<"x"> x{3.0};
    dyad::var<"y"> y{2.0};
    return dyad::diff(x * y, y).value();
}
