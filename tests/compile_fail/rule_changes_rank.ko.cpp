// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The cotangent of a number is a number.
// max-lines: 26
// expect: \[dyad\] custom_gradient, custom_jvp: the rule returns .*another rank

#include <tuple>

#include <dyad/array.hpp>

auto dot = dyad::custom_gradient([](auto a, auto c) { return sum(a * c); }, [](auto a, auto c, auto, auto up) { return std::tuple{up * c + 0 * a, up * a}; });
double slope(const xt::xtensor<double, 1>& v) { return dyad::grad<1>([](auto a, auto c) { return dot(a, c * c); })(v, 2.0); }
