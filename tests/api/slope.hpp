// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
#pragma once

namespace dyad_test {

/// f'(x), by differences of f.
template <class F>
double slope(F f, double x, double h = 1e-5) {
    return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}

} // namespace dyad_test
