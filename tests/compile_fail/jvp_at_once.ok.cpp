// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double tangent(double x, double dx) {
    return dyad::jvp([](auto u) { return u * u; })(x, dx).second;
}
