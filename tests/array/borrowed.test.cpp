// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Arguments that cannot be written to or cannot change their size: views of const arrays, and xtensor_fixed.

#include "differences.hpp"

#include <doctest/doctest.h>

#include <span>
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
TEST_CASE("expressions of xtensor are computed before anything reads them") {
    const vector x{1, 2, 3}, y{10, 20, 30};
    vector out{0, 0, 0};
    dyad::evaluate_into(out, [](auto v) { return 2 * v; }, x + 1.0);
    CHECK(out == vector{4, 6, 8});
    dyad::evaluate_into(out, dyad::kernel([](auto v) { return 2 * v + 1; }), x + 1.0);
    CHECK(out == vector{5, 7, 9});
    constexpr auto energy = [](auto v) { return sum(v * v); };
    CHECK(dyad::jvp(energy)(x + 1.0, x) == std::pair{29.0, 40.0});
    CHECK(dyad::jvp(energy)(x, 2.0 * x) == std::pair{14.0, 56.0});
    CHECK(dyad::hvp(energy)(x + 1.0, 2.0 * x) == vector{4, 8, 12});
    CHECK(dyad::vjp([](auto v) { return sum(v * v * v); })(x + 1.0).second(1.0) == vector{12, 27, 48});
    CHECK(dyad::vjp([](auto v) { return 2 * v; })(x + 1.0).second(x * 2.0) == vector{4, 8, 12});
    CHECK(dyad::evaluate([](auto t, auto s) { return sum(get<0>(t) * get<1>(t)) * s; }, std::tuple{x + 1.0, y}, 2.0) == 400);
}
TEST_CASE("a kernel whose first array has a fixed size that stretches gives what all fill") {
    const xt::xtensor_fixed<double, xt::xshape<1, 3>> row{{1, 2, 3}};
    CHECK(dyad::kernel([](auto a, auto b) { return a * b; })(row, m) == matrix{{1, 4, 9}, {4, 10, 18}});
}
TEST_CASE("pullbacks keep what their arguments borrowed: it may change, or go") {
    std::vector<double> lent{1, 2, 3};
    const auto square = [](auto v) { return v * v; };
    const auto of_span = dyad::vjp(square)(std::span<const double>(lent)).second;
    const auto of_view = dyad::vjp(square)(dyad::view(lent.data(), 3)).second;
    const auto of_pair = dyad::vjp([](auto p) { return std::get<0>(p) * std::get<1>(p); })(std::tuple{std::span<const double>(lent), 2.0}).second;
    lent.assign({100, 100, 100});
    const vector one{1, 1, 1};
    CHECK(of_span(one) == vector{2, 4, 6});
    CHECK(of_view(one) == vector{2, 4, 6});
    CHECK(of_pair(one) == std::tuple{vector{2, 2, 2}, 6.0});
}
