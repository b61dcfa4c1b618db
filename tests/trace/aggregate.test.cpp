// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Aggregates of many members: each is found, and has its own slope.

#include <dyad/core.hpp>

#include <array>

#include <doctest/doctest.h>

namespace {

/// A camera of bundle adjustment has nine parameters; sixteen members are the most.
template <class T>
struct camera {
    T rx, ry, rz, tx, ty, tz, focal, k1, k2;
    friend constexpr bool operator==(const camera&, const camera&) = default;
};
constexpr auto projected = [](auto c, auto x) { return c.focal * (x * c.rx + c.tx) * (1 + c.k1 * x + c.k2 * c.k2) + c.ry * c.rz * c.ty * c.tz; };
static_assert(dyad::grad<0>(projected)(camera<double>{1, 2, 3, 4, 5, 6, 7, 8, 9}, 2.0) == camera<double>{1372, 90, 60, 686, 36, 30, 588, 84, 756});

template <class T>
struct sixteen {
    T a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
};
/// Each member times its number.
constexpr auto weighted = [](auto s) {
    return s.a + 2 * s.b + 3 * s.c + 4 * s.d + 5 * s.e + 6 * s.f + 7 * s.g + 8 * s.h + 9 * s.i + 10 * s.j + 11 * s.k + 12 * s.l + 13 * s.m + 14 * s.n + 15 * s.o + 16 * s.p;
};

} // namespace

TEST_CASE("sixteen members are the most, in the order in which they stand") {
    const auto slopes = dyad::grad(weighted)(sixteen<double>{});
    const std::array<double, 16> found{slopes.a, slopes.b, slopes.c, slopes.d, slopes.e, slopes.f, slopes.g, slopes.h,
                                       slopes.i, slopes.j, slopes.k, slopes.l, slopes.m, slopes.n, slopes.o, slopes.p};
    for (std::size_t k = 0; k < 16; ++k) CHECK(found[k] == static_cast<double>(k + 1));
}
