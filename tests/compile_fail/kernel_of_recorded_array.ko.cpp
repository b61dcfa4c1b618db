// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// expect: \[dyad\] kernel: no kernel runs on arrays of recorded numbers

#include <dyad/dyad.hpp>

void rectified(const xt::xtensor<dyad::real, 1>& x) {
    dyad::kernel([](auto a) { return max(a, 0); })(x);
}
