// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A rule that clips a cotangent by its norm: for one direction of the argument it says nothing.
// expect: \[dyad\] custom_gradient, custom_jvp: in the other mode a rule must be linear, or go element by element
// max-lines: 125

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

constexpr auto clip = dyad::custom_gradient([](auto x) { return 1 * x; }, [](auto, auto, auto up) { return up / max(1, norm(up)); });

vector moved(const vector& x, const vector& v) {
    return dyad::jvp([](auto u) { return clip(u * u); })(x, v).second;
}
