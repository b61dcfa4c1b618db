// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

double either(const dyad::var<"x">& x, const dyad::var<"y", float>& y) {
    return dyad::cond(x > 0.0, [&] { return x * 2.0; }, [&] { return y * 3.0F; }).value();
}
