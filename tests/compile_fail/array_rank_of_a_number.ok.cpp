// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using namespace dyad::literals;
using matrix = xt::xtensor<double, 2>;

auto product(const matrix& x, const matrix& y) {
    return dyad::tensordot(x, y, 1_c);
}
