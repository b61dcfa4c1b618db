// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Every operator refuses what is no number.
// expect: \[dyad\] operator: .*number

#include <dyad/core.hpp>

struct label {};

int main() {
    auto f = [](auto x) { return dyad::where(x == label{}, x, -x); };
    return dyad::grad(f)(3.0) < 0 ? 0 : 1;
}
