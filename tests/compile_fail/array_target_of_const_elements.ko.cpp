// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A target may change.
// expect: \[dyad\] target: it is const

#include <dyad/array.hpp>

#include <span>
#include <vector>

void twice(std::span<const double> out, const std::vector<double>& x) {
    dyad::evaluate_into(out, [](auto y) { return 2 * y; }, x);
}
