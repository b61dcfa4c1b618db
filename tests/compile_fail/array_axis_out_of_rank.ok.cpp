// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using matrix = xt::xtensor<double, 2>;

matrix slope(const matrix& x) {
    auto loss = [](auto a) { return norm(sum(a, 1)); };
    return dyad::grad(loss)(x);
}
