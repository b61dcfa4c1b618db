// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The cotangent of an array has its rank; a number that is no constant does not stretch.
// expect: \[dyad\] custom_gradient, custom_jvp: the rule returns .*another rank

#include <dyad/array.hpp>

auto squares = dyad::custom_gradient([](auto a) { return sum(a * a); }, [](auto a, auto, auto up) { return 2 * up * sum(a); });
auto slope(const xt::xtensor<double, 1>& v) { return dyad::grad([](auto a) { return squares(2 * a); })(v); }
