// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

/// An array of a device, as far as its type says it.
struct there {};
template <>
struct dyad::array_traits<there> {
    using element = double;
    static constexpr unsigned rank = 1, ones = 0;
};
template <>
inline constexpr bool dyad::is_device_array<there> = true;

void twice(vector& out, const vector& x) {
    dyad::kernel([](auto a) { return 2 * a; }).into(out, x);
}
