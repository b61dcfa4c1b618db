// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using matrix = xt::xtensor<double, 2>;

matrix slope(const matrix& x) {
    auto loss = [](auto a) { return sum(exp(transpose(a, 1, 0))); };
    return dyad::grad(loss)(x);
}
