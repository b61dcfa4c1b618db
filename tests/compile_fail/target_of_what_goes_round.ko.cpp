// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What goes round a loop of expressions cannot be computed into an array.
// expect: \[dyad\] branch: in a function with captured values.*what goes round a loop
// max-lines: 60

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto value(const vector& x) {
    const dyad::var<"x", vector> v{x};
    return dyad::fori_loop(1, [](auto, auto s) {
               vector out;
               dyad::evaluate_into(out, s * s);
               return s * out;
           }, v).value();
}
