// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// expect: \[dyad\] tape: functions of whole arrays, and tape.apply, take no expressions
// max-lines: 34

#include <dyad/dyad.hpp>

using vector = xt::xtensor<double, 1>;

void product(dyad::tape& tape, const xt::xtensor<dyad::real, 1>& x, const vector& w) {
    tape.apply([](auto a, auto b) { return dyad::dot(a, b); }, x, dyad::view(w));
}
