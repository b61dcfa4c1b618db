// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The first mistake is said, though sizes of arrays follow it.
// expect: \[dyad\] reshape: a size is negative, or too large to be written, or a second one is -1

#include <dyad/array.hpp>

auto sized(const xt::xtensor<double, 2>& x) {
    return dyad::evaluate([](auto a) { return sum(reshape(a, -1, -1)) + sum(dyad::zeros(a.shape(0))); }, x);
}
