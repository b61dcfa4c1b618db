// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <array>

#include <dyad/sparse.hpp>

auto entries(std::array<double, 3> x) {
    return dyad::sparse_hessian<0>([](auto v) { return v[0] * v[1] * v[2]; })(x).values;
}
