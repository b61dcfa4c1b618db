// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/dyad.hpp>

auto slope(dyad::tape& tape, const xt::xtensor<double, 1>& data) {
    const auto x = tape.variable(data);
    return tape.apply(dyad::grad([](auto a) { return sum(exp(a)); }), x);
}
