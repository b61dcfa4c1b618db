// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/dyad.hpp>

auto slopes(double w, const xt::xtensor<double, 1>& x) {
    return dyad::tape_grad([](auto v, auto y) { return std::get<0>(dyad::scan([](auto s, auto e) { return std::pair{s * e, s}; }, v, y)); })(w, x);
}
