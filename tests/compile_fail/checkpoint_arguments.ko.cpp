// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A checkpoint takes the arguments of its function.
// expect: \[dyad\] checkpoint: the function cannot be called so, with these arguments

#include <dyad/core.hpp>

auto value(double x) {
    return dyad::checkpoint([](auto b, auto c) { return b * c; })(x);
}
