// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/tape.hpp>

double slope() { return dyad::tape_grad<1>([](auto x, auto y) { return x * y; })(3.0, 2.0); }
