// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/tape.hpp>

double slope() { return dyad::tape_grad([](dyad::real x) { return x * x; })(3.0); }
