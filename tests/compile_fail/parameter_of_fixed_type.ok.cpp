// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope(double k) { return dyad::grad([k](auto x) { return k * x * x; })(2.0); }
