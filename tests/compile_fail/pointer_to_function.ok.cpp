// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

constexpr auto square = [](auto x) { return x * x; };

double slope() { return dyad::grad(square)(2.0); }
