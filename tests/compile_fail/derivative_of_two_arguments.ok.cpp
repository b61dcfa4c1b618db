// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double curvature() {
    return dyad::derivative<2>([](auto x) { return x * x; })(1.0);
}
