// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

#include <vector>

double first(double c) {
    const std::vector<double> v{0.5, 2};
    return dyad::kernel([c](auto x) { return x * dyad::where(x > 1, c, 1.0); })(v)[0];
}
