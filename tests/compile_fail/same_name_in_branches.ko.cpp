// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Two variables of one name in a branch.
// expect: two variables of one name, but of different number types
// max-lines: 30

#include <dyad/core.hpp>

double either(const dyad::var<"x">& x, const dyad::var<"x", float>& y) {
    return dyad::cond(x > 0.0, [&] { return x * 2.0; }, [&] { return y * 3.0F; }).value();
}
