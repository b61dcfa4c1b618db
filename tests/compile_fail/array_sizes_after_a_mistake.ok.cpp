// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The first mistake is said, though sizes of arrays follow it.

#include <dyad/array.hpp>

auto sized(const xt::xtensor<double, 2>& x) {
    return dyad::evaluate([](auto a) { return sum(reshape(a, -1)) + sum(dyad::zeros(a.shape(0))); }, x);
}
