// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A scan goes through elements.
// expect: \[dyad\] scan, map: what they go through is an array, a container with random access, or a tuple of such

#include <dyad/core.hpp>

auto value(double x) {
    return dyad::scan([](auto s, auto e) { return std::pair{s * e, s}; }, x, 3.0).first;
}
