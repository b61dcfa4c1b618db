// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// max-lines: 28
// expect: \[dyad\] tape: the function cannot be called so; .*tape_hvp: as a tuple

#include <dyad/tape.hpp>

#include <tuple>

auto product() { return dyad::tape_hvp([](auto x, auto y) { return x * y; })(2.0, 1.0); }
