// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope(const dyad::var<"x">& x) {
    return dyad::diff(x * x, x).value();
}
