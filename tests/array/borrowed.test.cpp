// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Arguments that cannot be written to or cannot change their size: views of const arrays, and xtensor_fixed.

#include "differences.hpp"

#include <doctest/doctest.h>

#include <type_traits>

using namespace differences;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
constexpr auto squares = [](auto x, auto c) { return sum(c * x * x); };
constexpr auto linear = [](auto x, auto w) { return sum(square(matmul(x, w))); };
template <class Found, class Wanted>
inline constexpr bool is = std::is_same_v<std::remove_cvref_t<Found>, Wanted>;
const matrix m{{1, 2, 3}, {4, 5, 6}};
const vector w{1, -1, 2};

} // namespace

TEST_CASE("views of const memory have gradients") {
    CHECK(dyad::grad<0>(linear)(dyad::view(m.data(), 2, 3), w) == dyad::grad<0>(linear)(m, w));
    CHECK(dyad::grad<0>(squares)(dyad::view(m.data(), 6), 0.5) == vector{1, 2, 3, 4, 5, 6});
    const auto slope = dyad::grad<0>(squares)(xt::view(m, xt::all(), xt::range(0, 3, 2)), 0.5);
    static_assert(is<decltype(slope), matrix>);
    CHECK(slope == matrix{{1, 3}, {4, 6}});
}
TEST_CASE("arrays of fixed size have gradients of fixed size") {
    const xt::xtensor_fixed<double, xt::xshape<2, 3>> fixed{{1, 2, 3}, {4, 5, 6}};
    const auto slope = dyad::grad<0>(linear)(fixed, w);
    static_assert(is<decltype(slope), xt::xtensor_fixed<double, xt::xshape<2, 3>>>);
    CHECK(matrix(slope) == dyad::grad<0>(linear)(m, w));
    const xt::xtensor_fixed<double, xt::xshape<2, 1>> column{{3}, {4}};
    constexpr auto product = [](auto c, auto x) { return sum(c * x); };
    CHECK(dyad::value_and_grad<0>(product)(column, m).first == 78);
    CHECK(dyad::grad<0>(product)(column, m)(1, 0) == 15);
}
