// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A loop goes on or ends for all elements together.
// expect: \[dyad\] control flow: a condition, or a number of rounds, is an array

#include <dyad/array.hpp>

auto grown(const xt::xtensor<double, 1>& a) {
    return dyad::evaluate([](auto x) { return dyad::while_loop([](auto s) { return s < 10; }, [](auto s) { return 2 * s; }, x); }, a);
}
