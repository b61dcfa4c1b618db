// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/implicit.hpp>

double slope(double x) {
    return dyad::grad(dyad::implicit_root([](auto y, auto a) { return y * y - a; }, [](auto a) { return dyad::sqrt(a); }))(x);
}
