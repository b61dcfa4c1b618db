// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// (Both compilers also print how the function came to be called.)
// max-lines: 28
// expect: \[dyad\] range: the elements of a traced array cannot be gone through

#include <dyad/array.hpp>

double slope(const xt::xtensor<double, 1>& x) {
    return dyad::grad([](auto x) {
        auto s = 0 * x[0];
        for (auto e : x) s += e * e;
        return s;
    })(x)(0);
}
