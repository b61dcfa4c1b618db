// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

void squares(matrix& out, const matrix& x) {
    dyad::evaluate_into(out, [](auto a) { return a * a; }, x);
}
