// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Arrays of every pair of shapes that NumPy lets meet, on either side of an operation: missing axes, axes of size 1
// that are known as such and others that have it only at run time, numbers. Values against loops, gradients by both
// operands against differences, forward against reverse; in float and double.

#include "properties.hpp"

using namespace differences;

namespace {

template <class T>
using vector = xt::xtensor<T, 1>;
template <class T>
using matrix = xt::xtensor<T, 2>;
template <class T>
using row_of_3 = xt::xtensor_fixed<T, xt::xshape<1, 3>>;

/// Not symmetric, and smooth.
constexpr auto together = [](auto x, auto y) { return x * exp(y) - y / (2 + x); };
constexpr auto weighted_together = [](auto x, auto y, auto c) { return sum(c * (x * exp(y) - y / (2 + x))); };

template <class X>
decltype(auto) element(const X& x, std::size_t i, std::size_t j) {
    if constexpr (std::is_arithmetic_v<X>) {
        return x;
    } else {
        const auto at = [](std::size_t k, std::size_t size) { return size == 1 ? 0 : k; };
        if constexpr (std::tuple_size_v<typename X::shape_type> == 1) return x(at(j, x.shape()[0]));
        else return x(at(i, x.shape()[0]), at(j, x.shape()[1]));
    }
}
/// A number as an array of one, to take differences with.
template <class X>
auto differences_by(const auto& f, const X& x) {
    if constexpr (std::is_floating_point_v<X>) {
        const double h = 1e-5;
        return static_cast<X>((f(static_cast<X>(x + h)) - f(static_cast<X>(x - h))) / (2 * h));
    } else {
        return gradient(f, x);
    }
}

/// x and y meet in a shape of rows by columns; T tells the tolerance.
template <class X, class Y>
void check(const X& x, const Y& y, std::size_t rows, std::size_t columns) {
    const auto found = dyad::evaluate(together, x, y);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
            const double a = element(x, i, j), b = element(y, i, j);
            CHECK(element(found, i, j) == doctest::Approx(a * std::exp(b) - b / (2 + a)).epsilon(1e-13));
        }
    }
    const auto c = weights_for(found);
    const auto both = dyad::value_and_grad<0, 1>(weighted_together);
    const auto [by_x, by_y] = both(x, y, c).second;
    CHECK(apart(by_x, differences_by([&](const X& x_) { return both(x_, y, c).first; }, x)) < 1e-8);
    CHECK(apart(by_y, differences_by([&](const Y& y_) { return both(x, y_, c).first; }, y)) < 1e-8);
    const auto tangent = dyad::jvp(together)(std::tuple{x, y}, std::tuple{x, y}).second;
    CHECK(apart(inner(c, tangent), inner(by_x, x) + inner(by_y, y)) < 1e-12);
}
template <class X, class Y>
void check_both_ways(const X& x, const Y& y, std::size_t rows, std::size_t columns) {
    CAPTURE(rows);
    CAPTURE(columns);
    check(x, y, rows, columns);
    check(y, x, rows, columns);
}

} // namespace

TEST_CASE("arrays stretch along every axis, on either side") {
    for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{4, 3}, {1, 3}, {5, 1}, {3, 17}, {0, 3}, {3, 0}}) {
        const matrix<double> m = numbers<double, 2>({rows, columns}), flat = numbers<double, 2>({1, columns}, 2), thin = numbers<double, 2>({rows, 1}, 3), one = numbers<double, 2>({1, 1}, 4);
        const vector<double> line = numbers<double, 1>({columns}, 5), single = numbers<double, 1>({1}, 6);
        check_both_ways(m, m, rows, columns);
        check_both_ways(m, flat, rows, columns);
        check_both_ways(m, thin, rows, columns);
        check_both_ways(m, one, rows, columns);
        check_both_ways(m, line, rows, columns);
        check_both_ways(m, single, rows, columns);
        check_both_ways(m, 0.75, rows, columns);
        check_both_ways(flat, thin, rows, columns);
        check_both_ways(line, thin, rows, columns);
    }
}
TEST_CASE("axes that are 1 by construction stretch as those that are 1 at run time") {
    const matrix<double> m = numbers<double, 2>({4, 3});
    const row_of_3<double> fixed{{0.5, -0.25, 1}};
    const matrix<double> flat{{0.5, -0.25, 1}}, c = numbers<double, 2>({4, 3}, 11);
    const auto by_fixed = std::get<1>(dyad::grad<0, 1>(weighted_together)(m, fixed, c));
    static_assert(std::is_same_v<std::remove_const_t<decltype(by_fixed)>, row_of_3<double>>);
    CHECK(apart(matrix<double>(by_fixed), std::get<1>(dyad::grad<0, 1>(weighted_together)(m, flat, c))) < 1e-15);
}
TEST_CASE("floats stretch as doubles do") {
    const matrix<double> m = numbers<double, 2>({5, 9}), thin = numbers<double, 2>({5, 1}, 3), c = numbers<double, 2>({5, 9}, 4);
    const vector<double> line = numbers<double, 1>({9}, 5);
    const auto compare = [&](const auto& x, const auto& y) {
        const auto exact = dyad::grad<0, 1>(weighted_together)(x, y, c);
        const auto found = dyad::grad<0, 1>(weighted_together)(properties::as<float>(x), properties::as<float>(y), properties::as<float>(c));
        CHECK(apart(properties::as<double>(std::get<0>(found)), std::get<0>(exact)) < 1e-5);
        CHECK(apart(properties::as<double>(std::get<1>(found)), std::get<1>(exact)) < 1e-5);
    };
    compare(m, thin);
    compare(line, m);
    compare(thin, line);
}
