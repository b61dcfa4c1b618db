// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// What is differentiated is an argument.

#include <dyad/implicit.hpp>

double slope(double x, double a) {
    const auto root = [](auto x, auto a) {
        return dyad::implicit_root([](auto y, auto x, auto a) { return y * y - x * a; }, [](auto x, auto a) { return sqrt(x * a); })(x, a);
    };
    return dyad::grad<0>(root)(x, a);
}
