// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

auto squares = dyad::custom_gradient([](auto a) { return sum(a * a); }, [](auto a, auto, auto up) { return 2 * up * a; });
auto slope(const xt::xtensor<double, 1>& v) { return dyad::grad([](auto a) { return squares(2 * a); })(v); }
