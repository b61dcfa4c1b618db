// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// One number is checked at a time.
// expect: \[dyad\] check_gradient: the function must return one number

#include <dyad/tape.hpp>

bool right(double x) {
    return bool(dyad::check_gradient([](auto u) { return std::array{u, u}; }, x));
}
