// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The arguments go to what checkpoint returns.
// expect: \[dyad\] checkpoint: it takes a function alone and returns one: checkpoint\(f\)\(x\.\.\.\)
// max-lines: 24

#include <dyad/core.hpp>

int main() {
    return dyad::derivative([](auto x) { return dyad::checkpoint([](auto u) { return sin(u * u); }, x); })(0.0) == 0 ? 0 : 1;
}
