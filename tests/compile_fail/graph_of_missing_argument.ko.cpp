// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The graph of a function of two arguments, for one.
// expect: \[dyad\] call: the function cannot be called so, with this number of arguments

#include <dyad/core.hpp>

auto nodes() { return dyad::graph_of<double>([](auto x, auto y) { return x * y; }); }
