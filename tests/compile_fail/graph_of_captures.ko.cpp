// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What captures a number has no graph of its own.
// expect: \[dyad\] graph_of: a function with captured values

#include <dyad/core.hpp>

auto nodes(double k) {
    return dyad::graph_of<double>([k](auto x) { return k * x; });
}
