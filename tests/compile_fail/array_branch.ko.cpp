// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A traced array has no elements yet, so no branch can depend on them.
// expect: \[dyad\] branch: a traced value has no value yet.*\bwhere\b
// max-lines: 24

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

vector slope(const vector& x) {
    auto loss = [](auto a) {
        if (sum(a) > 0) return sum(a);
        return sum(a * a);
    };
    return dyad::grad(loss)(x);
}
