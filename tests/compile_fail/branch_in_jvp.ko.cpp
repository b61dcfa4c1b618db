// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// jvp says of a branch what grad says.
// expect: \[dyad\] branch: a traced value has no value yet

#include <dyad/core.hpp>

double value() {
    auto f = [](auto x) {
        if (x > 0) return x;
        return -x;
    };
    auto [v, slope] = dyad::jvp(f)(1.0, 1.0);
    return v + slope;
}
