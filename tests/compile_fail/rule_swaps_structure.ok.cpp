// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <array>
#include <tuple>

#include <dyad/core.hpp>

auto rule = [](auto x, auto p, auto, auto up) { return std::tuple{up * p[0] * p[1], std::array{up * p[1] * x, up * p[0] * x}}; };
double slope() {
    auto f = dyad::custom_gradient([](auto x, auto p) { return x * p[0] * p[1]; }, rule);
    return std::get<0>(dyad::grad([=](auto x, auto p) { return f(x, p); })(2.0, std::array{3.0, 5.0}));
}
