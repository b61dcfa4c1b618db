// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

double slope(const xt::xtensor<double, 1>& x) {
    return dyad::value_and_grad([](auto x) { return sum(dyad::fori_loop(3, [](auto, auto s) { return s * sum(s); }, x)); })(x).first;
}
