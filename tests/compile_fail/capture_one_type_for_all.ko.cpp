// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// expect: \[dyad\] capture: in a function that captures values, or has members, each argument has a type of its own

#include <dyad/core.hpp>

struct valley {
    double depth;
    template <class T>
    constexpr T operator()(const T& x, const T& y) const {
        return x * x + depth * y;
    }
};
double slope(double x) {
    return dyad::grad<0>(valley{2})(x, x);
}
