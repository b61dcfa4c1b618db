// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>
#include <dyad/implicit.hpp>

using vector = xt::xtensor<double, 1>;

vector slope(const vector& b, const xt::xtensor<double, 2>& A) {
    auto loss = [](auto b, auto A) {
        auto root = dyad::implicit_root([](auto y, auto b, auto A) { return sum(A) * y - sum(b); }, [](auto b, auto A) { return sum(b) / sum(A); });
        return root(b, A);
    };
    return dyad::grad<0>(loss)(b, A);
}
