// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// In a function of arrays every operation goes element by element; a kernel has nothing to run over there.
// expect: \[dyad\] kernel: it runs over arrays, not in a function that is traced

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

vector slope(const vector& x) {
    constexpr auto f = [](auto e) { return e * e; };
    auto loss = [=](auto a) { return sum(dyad::kernel(f)(a)); };
    static_cast<void>(dyad::kernel(f)(x));
    return dyad::grad(loss)(x);
}
