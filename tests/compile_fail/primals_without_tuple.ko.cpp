// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Several primals, and their tangents, are tuples.
// expect: \[dyad\] jvp, hvp: the function does not take these primals; pass several arguments as a tuple

#include <tuple>

#include <dyad/core.hpp>

auto product() {
    auto f = [](auto x, auto y) { return x * y; };
    return dyad::hvp(f)(2.0, 1.0);
}
