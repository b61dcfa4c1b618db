// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

#include <array>

double curvature() {
    return dyad::hessian([](auto x) { return x[0] * x[1]; })(std::array{1.0, 2.0})[0][1];
}
