// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using namespace dyad::literals;
using vector_variable = dyad::var<"x", dyad::tensor<double, 1>>;

auto total(const vector_variable& x) {
    return sum(x * x, 0_c).value();
}
