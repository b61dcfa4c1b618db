// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What is traced has no value yet, so no branch can depend on it; the message names the ways out.
// expect: \[dyad\] branch: a traced value has no value yet.*\bwhere\b.*\bcond\b.*\btape\b

#include <dyad/core.hpp>

int main() {
    auto f = [](auto x) {
        if (x > 0) return x * x;
        return -x;
    };
    return dyad::grad(f)(3.0) == 6.0 ? 0 : 1;
}
