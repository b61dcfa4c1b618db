// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A rule returns the cotangents.
// max-lines: 26
// expect: \[dyad\] custom_gradient, custom_jvp: the rule returns nothing

#include <dyad/core.hpp>

auto rule = [](auto, auto, auto up) { up * 2; };
double slope() {
    auto f = dyad::custom_gradient([](auto x) { return dyad::round(x); }, rule);
    return dyad::grad([=](auto x) { return f(x); })(2.0);
}
