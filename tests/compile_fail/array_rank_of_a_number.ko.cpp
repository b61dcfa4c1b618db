// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// How many axes a tensor product leaves is part of the type: the number must be a constant.
// expect: \[dyad\] array: .*constant, such as 1_c

#include <dyad/array.hpp>

using matrix = xt::xtensor<double, 2>;

auto product(const matrix& x, const matrix& y) {
    return dyad::tensordot(x, y, 1);
}
