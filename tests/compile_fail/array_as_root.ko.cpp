// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Its equation would be solved element by element.
// expect: \[dyad\] implicit_root, fixed_point, odeint, odeint_adjoint: an array stands where numbers belong

#include <dyad/array.hpp>
#include <dyad/implicit.hpp>

using vector = xt::xtensor<double, 1>;

vector slope(const vector& b, const xt::xtensor<double, 2>& A) {
    auto loss = [](auto b, auto A) {
        auto root = dyad::implicit_root([](auto y, auto b, auto A) { return matmul(A, y) - b; }, [](auto b, auto A) { return solve(A, b); });
        return sum(root(b, A));
    };
    return dyad::grad<0>(loss)(b, A);
}
