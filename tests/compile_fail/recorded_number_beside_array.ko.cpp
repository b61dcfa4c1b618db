// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// expect: \[dyad\] transform, kernel: an argument is recorded by a tape, others are arrays; tape.apply\(f, X, x\)

#include <dyad/dyad.hpp>

double slope(dyad::tape& tape, const xt::xtensor<double, 1>& data, const dyad::real& rate) {
    const auto y = dyad::grad<1>([](auto a, auto r) { return sum(exp(a * r)); })(data, rate);
    return tape.gradient(y, rate);
}
