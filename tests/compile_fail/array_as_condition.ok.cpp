// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

auto grown(const xt::xtensor<double, 1>& a) {
    return dyad::evaluate([](auto x) { return dyad::while_loop([](auto s) { return sum(s) < 10; }, [](auto s) { return 2 * s; }, x); }, a);
}
