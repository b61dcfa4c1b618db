// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The function is called with the arguments that are given.
// expect: \[dyad\] tape: the function cannot be called so; give it as many arguments as it takes

#include <dyad/tape.hpp>

bool right(double x) {
    return bool(dyad::check_gradient([](auto u, auto v) { return u * v; }, x));
}
