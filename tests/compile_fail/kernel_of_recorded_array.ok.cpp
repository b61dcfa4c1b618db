// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/dyad.hpp>

void rectified(const xt::xtensor<double, 1>& x) {
    dyad::kernel([](auto a) { return max(a, 0); })(x);
}
