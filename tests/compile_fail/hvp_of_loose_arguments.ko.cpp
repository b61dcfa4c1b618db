// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Primals and tangents are two, whatever the function takes.
// expect: \[dyad\] jvp, hvp: they take primals and tangents

#include <dyad/core.hpp>

auto product() {
    return dyad::hvp([](auto x, auto y) { return x * y; })(1.0, 2.0, 3.0);
}
