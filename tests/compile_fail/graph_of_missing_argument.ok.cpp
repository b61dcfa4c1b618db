// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

auto nodes() { return dyad::graph_of<double, double>([](auto x, auto y) { return x * y; }); }
