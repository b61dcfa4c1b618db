// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// expect: \[dyad\] tape: an array of active numbers does not become one of plain numbers
// (Through the layers of xtensor.)
// max-lines: 70

#include <dyad/dyad.hpp>

xt::xtensor<double, 1> doubled(const xt::xtensor<dyad::real, 1>& x) {
    return x * 2.0;
}
