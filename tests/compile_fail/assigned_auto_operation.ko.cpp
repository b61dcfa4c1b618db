// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What `auto` holds after an operation on reals is the operation; a number is to be assigned to dyad::real.
// expect: \[dyad\] auto: .*declare it as dyad::real

#include <dyad/tape.hpp>

int main() {
    dyad::real x = 3.0;
    auto y = x * x;
    y = y + 1;
    return static_cast<int>(y);
}
