// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/dyad.hpp>

xt::xtensor<dyad::real, 1> doubled(const xt::xtensor<dyad::real, 1>& x) {
    return x * 2.0;
}
