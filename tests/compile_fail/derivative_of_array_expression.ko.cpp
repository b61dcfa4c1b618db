// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A derivative of order N is by one number, of expressions too.
// expect: \[dyad\] derivative: it is by one number; for arrays and structures take grad, jacobian or hessian
// max-lines: 50

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto value(const vector& x) {
    const dyad::var<"x", vector> v{x};
    return dyad::derivative<2>([](auto u) { return sum(u * u); })(v).value();
}
