// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double slope(double k) { return std::get<0>(dyad::grad([k](auto x, auto y) { return k * x * y; })(2.0, 3.0)); }
