// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/dyad.hpp>

double slope(dyad::tape& tape, const xt::xtensor<double, 1>& data, const dyad::real& rate) {
    const auto y = tape.apply(dyad::grad<1>([](auto a, auto r) { return sum(exp(a * r)); }), data, rate);
    return tape.gradient(y, rate);
}
