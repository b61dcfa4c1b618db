// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// expect: \[dyad\] argument: a transform computes with arrays of plain numbers, .*tape.apply\(dyad::grad\(f\), x\)

#include <dyad/dyad.hpp>

auto slope(dyad::tape& tape, const xt::xtensor<double, 1>& data) {
    const auto x = tape.variable(data);
    return dyad::grad([](auto a) { return sum(exp(a)); })(x);
}
