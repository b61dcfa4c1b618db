// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double curvature() {
    return dyad::hvp([](auto x) { return x * x * x; })(2.0, 1.0);
}
