// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

struct valley {
    double depth;
    template <class X, class Y>
    constexpr auto operator()(const X& x, const Y& y) const {
        return x * x + depth * y;
    }
};
double slope(double x) {
    return dyad::grad<0>(valley{2})(x, x);
}
