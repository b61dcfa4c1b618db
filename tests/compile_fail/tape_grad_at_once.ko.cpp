// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The arguments go to what tape_grad returns.
// expect: \[dyad\] tape_grad: it takes a function alone and returns one: tape_grad\(f\)\(x\.\.\.\)

#include <dyad/tape.hpp>

int main() {
    const auto f = [](auto x) { return x > 0 ? x * x : x; };
    return dyad::tape_grad(f, 3.0) == 6 ? 0 : 1;
}
