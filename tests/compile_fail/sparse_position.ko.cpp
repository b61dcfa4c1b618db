// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A position that is not there is said to be so before anything is coloured.
// expect: \[dyad\] transform: a position is not below the number of arguments
// max-lines: 30

#include <array>

#include <dyad/sparse.hpp>

auto entries(std::array<double, 3> x) {
    return dyad::sparse_hessian<3>([](auto v) { return v[0] * v[1] * v[2]; })(x).values;
}
