// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

#include <span>
#include <vector>

void twice(std::span<double> out, const std::vector<double>& x) {
    dyad::evaluate_into(out, [](auto y) { return 2 * y; }, x);
}
