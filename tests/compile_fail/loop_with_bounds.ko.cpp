// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A loop has a number of rounds, no first and last index.
// expect: \[dyad\] fori_loop: it takes the number of rounds, the body and the state, and what it stores: fori_loop\(n, body, state\)
// max-lines: 30

#include <dyad/core.hpp>

double power(double x) {
    return dyad::grad([](auto u) { return dyad::fori_loop(0, 3, [](auto, auto s) { return s * s; }, u); })(x);
}
