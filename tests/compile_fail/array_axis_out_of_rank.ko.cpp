// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A matrix has no third axis.
// expect: \[dyad\] axis: it is not below the rank of the operand

#include <dyad/array.hpp>

using matrix = xt::xtensor<double, 2>;

matrix slope(const matrix& x) {
    auto loss = [](auto a) { return norm(sum(a, 2)); };
    return dyad::grad(loss)(x);
}
