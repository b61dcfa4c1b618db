// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// An axis that is named twice leaves another one out.
// expect: \[dyad\] transpose: name every axis once

#include <dyad/array.hpp>

using matrix = xt::xtensor<double, 2>;

matrix slope(const matrix& x) {
    auto loss = [](auto a) { return sum(exp(transpose(a, 0, 0))); };
    return dyad::grad(loss)(x);
}
