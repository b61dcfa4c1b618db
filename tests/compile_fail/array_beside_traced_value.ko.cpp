// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What a function without captures takes from elsewhere has no values inside the compiler. (clang also prints the requirement
// in which it saw the call.)
// max-lines: 28
// expect: \[dyad\] operator: an operand is neither a number nor a traced value nor an expression

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;
const vector factor{1, 2};

auto slope(const vector& x) {
    return dyad::grad([](auto y) { return dyad::sum(y * factor); })(x);
}
