// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The number of rounds is a number.
// expect: \[dyad\] fori_loop: the number of rounds is a number, or one that is traced

#include <dyad/core.hpp>

auto value(double x) {
    return dyad::fori_loop("3", [](auto, auto s) { return s * s; }, x);
}
