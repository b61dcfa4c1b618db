// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What is iterated is made of numbers.
// expect: \[dyad\] implicit_root, fixed_point, odeint: what is solved for is a number, or a std::array
// max-lines: 60

#include <dyad/implicit.hpp>

#include <vector>

auto found(double a) {
    return dyad::fixed_point([](auto x, auto) { return x; }, std::vector<double>{1, 2})(a);
}
