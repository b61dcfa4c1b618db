// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The same in an expression.
// expect: \[dyad\] axis: it is not below the rank of the operand

#include <dyad/array.hpp>

using namespace dyad::literals;
using vector_variable = dyad::var<"x", dyad::tensor<double, 1>>;

auto total(const vector_variable& x) {
    return sum(x * x, 1_c).value();
}
