// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/tape.hpp>

double slope() {
    return dyad::tape_grad([](auto x) { return dyad::grad<0>([](auto y, auto z) { return z * y * y; })(2.0, x); })(3.0);
}
