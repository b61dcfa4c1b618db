// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

auto rule = [](auto, auto, auto up) { return up * 2; };
double slope() {
    auto f = dyad::custom_gradient([](auto x) { return dyad::round(x); }, rule);
    return dyad::grad([=](auto x) { return f(x); })(2.0);
}
