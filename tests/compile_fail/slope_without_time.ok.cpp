// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/implicit.hpp>

double end(double k) {
    return dyad::odeint([](auto, auto y, auto by) { return -by * y; }, 1.0, 0.0, 1.0, k);
}
