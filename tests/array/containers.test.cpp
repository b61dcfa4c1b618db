// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// What arrays may come in: std::vector, std::span, dyad::view, xtensor's containers in both layouts, of fixed
// size, as views with strides; in std::array, std::tuple and aggregates; of integers as data, of float with
// double. What their derivatives come back in, and what is said where sizes do not fit.

#include "differences.hpp"

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

using namespace differences;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using column_major = xt::xtensor<double, 2, xt::layout_type::column_major>;

template <class A>
struct layer {
    A scale, shift;
};

constexpr auto squares = [](auto x, auto c) { return sum(c * x * x); };
constexpr auto curve = [](auto x) { return sum(exp(x) * x); };
constexpr auto doubled = [](auto x) { return 2 * x + 1; };
constexpr auto linear = [](auto x, auto w) { return sum(square(matmul(x, w))); };
constexpr auto of_layer = [](auto l, auto x) { return sum(square(x * l.scale + l.shift)); };
constexpr auto of_tuple = [](auto t) { return sum(std::get<0>(t) * std::get<0>(t)) * std::get<1>(t); };
constexpr auto of_array = [](auto p) { return sum(p[0] * p[1] * p[1]); };
constexpr auto added = [](auto x, auto y) { return sum(x + y); };

template <class Found, class Wanted>
inline constexpr bool is = std::is_same_v<std::remove_cvref_t<Found>, Wanted>;

const matrix m{{1, 2, 3}, {4, 5, 6}};
const vector w{1, -1, 2};

} // namespace

TEST_CASE("a std::vector gives gradients in a std::vector") {
    const std::vector<double> x{1, 2, 3}, c{1, 10, 100};
    const auto [value, slope] = dyad::value_and_grad<0>(squares)(x, c);
    static_assert(is<decltype(value), double> && is<decltype(slope), std::vector<double>>);
    CHECK(value == 941);
    CHECK(slope == std::vector<double>{2, 40, 600});
    const auto both = dyad::grad(squares)(x, w);
    static_assert(is<decltype(both), std::tuple<std::vector<double>, vector>>);
    CHECK(std::get<1>(both) == vector{1, 4, 9});
    CHECK(dyad::grad(curve)(std::vector<double>{}).empty());
    const auto result = evaluated(doubled, x);
    CHECK(result(2) == 7);
    static_assert(is<decltype(dyad::grad(curve)(std::vector<float>{1})), std::vector<float>>);
    CHECK(dyad::hvp(squares)(std::tuple{x, c}, std::tuple{std::vector<double>{1, 0, 0}, std::vector<double>{0, 0, 0}}) == std::tuple{std::vector<double>{2, 0, 0}, std::vector<double>{2, 0, 0}});
}
TEST_CASE("spans and views borrow, and give gradients in xtensor") {
    std::array<double, 6> memory{1, 2, 3, 4, 5, 6};
    const auto slope = dyad::value_and_grad<0>(squares)(std::span(memory).subspan(1, 3), w).second;
    static_assert(is<decltype(slope), vector>);
    CHECK(slope == vector{4, -6, 16});
    static_assert(is<decltype(dyad::grad(curve)(std::span<const double, 6>(memory))), vector>);
    const auto of_view = dyad::grad<0>(linear)(dyad::view(memory.data(), 2, 3), w);
    static_assert(is<decltype(of_view), matrix>);
    CHECK(of_view == dyad::grad<0>(linear)(m, w));
    const double* const read_only = memory.data();
    CHECK(dyad::grad<1>(linear)(dyad::view(read_only, 2, 3), w) == dyad::grad<1>(linear)(m, w));
    dyad::array_view<double, 2> cut{memory.data(), {2, 2}, {3, 2}}; // {{1, 3}, {4, 6}}
    CHECK(dyad::grad<0>(squares)(cut, 1.0) == matrix{{2, 6}, {8, 12}});
    dyad::array_view<double, 1> backwards{memory.data() + 5, {6}, {-1}};
    CHECK(dyad::grad<0>(squares)(backwards, 0.5) == vector{6, 5, 4, 3, 2, 1});
}
TEST_CASE("layouts and fixed sizes of xtensor stay in the results") {
    column_major turned = m;
    const auto slope = dyad::grad<0>(linear)(turned, w);
    static_assert(is<decltype(slope), column_major>);
    CHECK(matrix(slope) == dyad::grad<0>(linear)(m, w));
    const auto [value, tangent] = dyad::jvp(doubled)(turned, turned);
    CHECK(matrix(value) == matrix(2 * m + 1));
    CHECK(matrix(tangent) == matrix(2 * m));
    const xt::xtensor_fixed<double, xt::xshape<2, 3>> fixed{{1, 2, 3}, {4, 5, 6}};
    CHECK(dyad::grad<1>(linear)(fixed, w) == dyad::grad<1>(linear)(m, w));
    const xt::xtensor_fixed<double, xt::xshape<2, 1>> column{{3}, {4}};
    CHECK(dyad::grad<1>([](auto c, auto x) { return sum(c * x); })(column, m) == matrix{{3, 3, 3}, {4, 4, 4}});
}
TEST_CASE("arrays with an axis that happens to have size 1 stretch as in NumPy") {
    const matrix column{{3}, {4}}, row{{1, 2, 3}};
    constexpr auto product = [](auto c, auto x) { return sum(c * x * x); };
    CHECK(dyad::value_and_grad(product)(column, m) == std::pair{350.0, std::tuple{matrix{{14}, {77}}, matrix{{6, 12, 18}, {32, 40, 48}}}});
    CHECK(std::get<0>(dyad::value_and_grad(product)(row, m).second) == matrix{{17, 29, 45}});
    CHECK(std::get<1>(dyad::value_and_grad(product)(m, row).second) == matrix{{10, 28, 54}});
    CHECK(dyad::value_and_grad(product)(column, row).second == std::tuple{matrix{{14}, {14}}, matrix{{14, 28, 42}}});
    CHECK(dyad::grad<0>(product)(vector{2}, vector{1, 2, 3}) == vector{14});
}
TEST_CASE("strided views and expressions of xtensor are arguments") {
    matrix big = made<2>({4, 6}, [](auto i, auto j) { return static_cast<double>(6 * i + j); });
    const auto cut = xt::view(big, xt::range(0, 4, 2), xt::range(1, 6, 2)); // {{1, 3, 5}, {13, 15, 17}}
    const auto slope = dyad::grad<0>(squares)(cut, 0.5);
    static_assert(is<decltype(slope), matrix>);
    CHECK(slope == matrix{{1, 3, 5}, {13, 15, 17}});
    CHECK(dyad::grad<0>(squares)(xt::view(big, 1, xt::all()), 0.5) == vector{6, 7, 8, 9, 10, 11});
    CHECK(dyad::grad<0>(squares)(xt::view(big, xt::all(), 2), 0.5) == vector{2, 8, 14, 20});
    CHECK(dyad::grad<0>(linear)(cut, w) == dyad::grad<0>(linear)(matrix{{1, 3, 5}, {13, 15, 17}}, w));
}
TEST_CASE("expressions and containers of xtensor without axes are numbers") {
    const xt::xtensor<double, 0> half = 0.5;
    CHECK(dyad::grad<0>(squares)(w, half) == dyad::grad<0>(squares)(w, 0.5));
    CHECK(dyad::grad<0>(squares)(w, xt::mean(vector{0, 1})) == dyad::grad<0>(squares)(w, 0.5));
    CHECK(dyad::grad<1>(squares)(w, xt::sum(vector{0.25, 0.25})) == dyad::grad<1>(squares)(w, 0.5));
    CHECK(dyad::evaluate([](auto x, auto s) { return x * s; }, w, half) == vector(0.5 * w));
    CHECK(dyad::grad([](auto x) { return x * x * x; })(half) == 0.75);
    CHECK(dyad::jvp([](auto x, auto s) { return sum(x) * s; })(std::tuple{w, half}, std::tuple{w, half}).first == 0.5 * xt::sum(w)());
}
TEST_CASE("structures of arrays are one argument") {
    const layer<vector> l{{1, 0, 2}, {0.5, -0.5, 0}};
    const auto slope = dyad::grad<0>(of_layer)(l, m);
    static_assert(is<decltype(slope), layer<vector>>);
    CHECK(slope.scale == vector{39, -7, 180});
    CHECK(slope.shift == vector{12, -2, 36});
    const auto nested = dyad::grad<0>([](auto p, auto x) { return sum(std::get<1>(p)[1].scale * x) + sum(std::get<0>(p)); })(
        std::tuple{m, std::array{l, l}}, w);
    CHECK(std::get<0>(nested) == matrix{{1, 1, 1}, {1, 1, 1}});
    CHECK(std::get<1>(nested)[0].scale == vector{0, 0, 0});
    CHECK(std::get<1>(nested)[1].scale == w);
    const auto [of_first, of_second] = dyad::grad(of_tuple)(std::tuple{w, 3.0});
    CHECK(of_first == vector{6, -6, 12});
    CHECK(of_second == 6);
    const auto two = dyad::grad(of_array)(std::array{w, vector{1, 2, 3}});
    static_assert(is<decltype(two), std::array<vector, 2>>);
    CHECK(two[0] == vector{1, 4, 9});
    CHECK(two[1] == vector{2, -4, 12});
}
TEST_CASE("std::tie borrows arrays") {
    const xt::xtensor<double, 1> a{1, 2, 3};
    xt::xtensor<double, 1> b{2, 3, 4};
    const auto [value, tangent] = dyad::jvp(squares)(std::tie(a, b), std::tie(b, a));
    CHECK(value == 50);
    CHECK(tangent == 176);
    const auto [by_a, by_b] = dyad::hvp(squares)(std::tie(a, b), std::tie(b, a));
    CHECK(by_a == xt::xtensor<double, 1>(2 * b * b + 2 * a * a));
    CHECK(by_b == xt::xtensor<double, 1>(2 * a * b));
    const auto gradient = dyad::grad([](auto t) { return squares(std::get<0>(t), std::get<1>(t)); })(std::tie(a, b));
    static_assert(std::is_same_v<decltype(gradient), const std::tuple<xt::xtensor<double, 1>, xt::xtensor<double, 1>>>);
    CHECK(std::get<0>(gradient) == xt::xtensor<double, 1>(2 * a * b));
}
TEST_CASE("whole numbers are data, and float meets double") {
    const xt::xtensor<int, 1> counts{1, 2, 3};
    CHECK(dyad::grad<0>(squares)(w, counts) == vector{2, -4, 12});
    CHECK(dyad::grad<0>(squares)(w, std::vector<short>{1, 2, 3}) == vector{2, -4, 12});
    CHECK(dyad::grad<0>(squares)(w, 2) == vector{4, -4, 8});
    const xt::xtensor<float, 1> narrow{1.5F, -1, 2};
    const auto [value, slope] = dyad::value_and_grad(squares)(narrow, w);
    static_assert(is<decltype(value), double>);
    static_assert(is<decltype(slope), std::tuple<xt::xtensor<float, 1>, vector>>);
    CHECK(value == 2.25 - 1 + 8);
    CHECK(std::get<0>(slope) == xt::xtensor<float, 1>{3, 2, 8});
    CHECK(std::get<1>(slope) == vector{2.25, 1, 4});
    const auto alone = dyad::value_and_grad<0>(squares)(narrow, 0.5F);
    static_assert(is<decltype(alone.first), float>);
}
TEST_CASE("sizes that do not fit are named") {
    CHECK_THROWS_WITH_AS(dyad::grad(added)(vector{1, 2}, vector{1, 2, 3}), "[dyad] add: Incompatible shapes: [2] vs. [3]", dyad::shape_error);
    CHECK_THROWS_WITH_AS(dyad::grad<0>(squares)(m, vector{1, 2}), "[dyad] mul: Incompatible shapes: [2,3] vs. [2]", dyad::shape_error);
    CHECK_THROWS_WITH_AS(dyad::grad<0>(linear)(m, vector{1, 2}), "[dyad] matmul: Matrix size-incompatible: In[0]: [2,3], In[1]: [2]", dyad::shape_error);
    CHECK_THROWS_AS(dyad::hvp(curve)(w, vector{1, 2}), dyad::shape_error);
    CHECK_THROWS_AS(dyad::vjp(doubled)(w).second(vector{1, 2}), dyad::shape_error);
    CHECK_THROWS_AS(dyad::vjp<0>(doubled)(vector{1, 2}).second(vector{1, 2, 3}), dyad::error);
    const xt::xtensor_fixed<double, xt::xshape<2>> two{1, 2};
    CHECK_THROWS_AS(dyad::grad(added)(two, w), dyad::shape_error);
}
TEST_CASE("tangents and cotangents do not stretch: one number is not the direction of ones") {
    const vector one{2};
    CHECK_THROWS_WITH_AS(dyad::jvp(doubled)(w, one), "[dyad] jvp: a tangent has shape [1], its argument [3]", dyad::shape_error);
    CHECK_THROWS_WITH_AS(dyad::hvp(curve)(w, one), "[dyad] hvp: a direction has shape [1], its argument [3]", dyad::shape_error);
    CHECK_THROWS_WITH_AS(dyad::vjp(doubled)(w).second(one), "[dyad] vjp: a cotangent has shape [1], the result [3]", dyad::shape_error);
}
TEST_CASE("arguments are not changed, and results are of their own") {
    vector x{1, 2, 3};
    const vector before = x;
    auto [value, pull] = dyad::vjp(doubled)(x);
    x(0) = 100; // the pullback has copies
    CHECK(value == vector{3, 5, 7});
    CHECK(pull(vector{1, 1, 1}) == vector{2, 2, 2});
    CHECK(evaluated([](auto a) { return a; }, before) == before);
    CHECK(evaluated([](auto a) { return std::tuple{a, a, transpose(a)}; }, before) == std::tuple{before, before, before});
    CHECK(dyad::grad([](auto a) { return sum(a); })(before) == vector{1, 1, 1});
    CHECK(dyad::grad([](auto a) { return sum(a) * 0; })(before) == vector{0, 0, 0});
    CHECK(dyad::grad<0>([](auto, auto b) { return sum(b); })(m, before) == matrix{{0, 0, 0}, {0, 0, 0}});
}

namespace {

template <class T>
struct option {
    T spot, strike;
};

} // namespace

TEST_CASE("aggregates of arrays come back as such, also from kernels and functions that return them") {
    const option<vector> o{{1, 2}, {3, 4}};
    const auto product = [](auto p) { return p.spot * p.strike; };
    const auto [value, gradient] = dyad::kernel(dyad::value_and_grad(product))(o);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(gradient)>, option<vector>>);
    CHECK(value == vector{3, 8});
    CHECK(gradient.spot == o.strike);
    CHECK(gradient.strike == o.spot);
    const option<vector> by_row = dyad::vmap(dyad::grad(product))(o);
    CHECK(by_row.strike == o.spot);
    const auto swapped = [](auto p) { return option<decltype(p.spot + p.spot)>{2 * p.strike, 3 * p.spot}; };
    const option<vector> result = dyad::evaluate(swapped, o);
    CHECK(result.spot == vector{6, 8});
    CHECK(result.strike == vector{3, 6});
    option<vector> target;
    dyad::evaluate_into(target, dyad::grad([](auto p) { return sum(p.spot * p.strike); }), o);
    CHECK(target.spot == o.strike);
    const option<vector> tangent = dyad::jvp(swapped)(o, option<vector>{{1, 0}, {0, 1}}).second;
    CHECK(tangent.spot == vector{0, 2});
    CHECK(tangent.strike == vector{3, 0});
}

namespace {

template <class W, class B>
struct dense {
    W weights;
    B bias;
};

} // namespace

TEST_CASE("aggregates over types of their own for each member: a matrix and a vector, a number, one another") {
    const dense<matrix, vector> d{m, {0.5, 0.25}};
    const auto energy = [](auto l, auto x) { return sum(square(matmul(l.weights, x) + l.bias)); };
    const auto [value, slope] = dyad::value_and_grad<0>(energy)(d, w);
    static_assert(is<decltype(slope), dense<matrix, vector>>);
    const vector twice_z{2 * (1 - 2 + 6 + 0.5), 2 * (4 - 5 + 12 + 0.25)};
    CHECK(value == doctest::Approx(5.5 * 5.5 + 11.25 * 11.25));
    CHECK(apart(slope.weights, made<2>({2, 3}, [&](auto i, auto j) { return twice_z(i) * w(j); })) < 1e-14);
    CHECK(apart(slope.bias, twice_z) < 1e-14);
    const auto by_w = std::get<1>(dyad::grad(energy)(d, w));
    CHECK(apart(by_w, made<1>({3}, [&](auto j) { return twice_z(0) * m(0, j) + twice_z(1) * m(1, j); })) < 1e-14);
    const dense<matrix, vector> along{m, {1, -1}};
    const double tangent = dyad::jvp([](auto l) { return sum(square(l.weights)) + sum(square(l.bias)); })(d, along).second;
    CHECK(tangent == doctest::Approx(2 * 91 + 2 * (0.5 - 0.25)));
    const dense<dense<vector, double>, double> nested{{w, 3}, 2};
    const auto by = dyad::grad([](auto n) { return sum(square(n.weights.weights)) * n.weights.bias * n.bias; })(nested);
    CHECK(by.weights.weights == vector{12, -12, 24});
    CHECK(by.weights.bias == 12);
    CHECK(by.bias == 18);
}
TEST_CASE("functions return aggregates over types of their own for each member") {
    const dense<matrix, vector> d{m, {0.5, 0.25}};
    const auto halved = [](auto l) { return dense{l.weights / 2, -l.bias}; };
    const auto stepped = dyad::evaluate(halved, d);
    static_assert(is<decltype(stepped), dense<matrix, vector>>);
    CHECK(stepped.weights == matrix(m / 2));
    CHECK(stepped.bias == vector{-0.5, -0.25});
    const auto [value, tangent] = dyad::jvp(halved)(d, dense<matrix, vector>{2 * m, {1, 2}});
    CHECK(value.bias == stepped.bias);
    CHECK(tangent.weights == m);
    CHECK(tangent.bias == vector{-1, -2});
    const auto cotangent = dyad::vjp(halved)(d).second(d);
    CHECK(cotangent.weights == matrix(m / 2));
    CHECK(cotangent.bias == stepped.bias);
    const auto nested = dyad::evaluate([](auto l) { return std::pair{dense{dense{l.weights, sum(l.bias)}, l.bias}, 2 * sum(l.weights)}; }, d);
    CHECK(nested.first.weights.weights == m);
    CHECK(nested.first.weights.bias == 0.75);
    CHECK(nested.second == 42);
}
TEST_CASE("jvp and hvp along some of the arrays, where the others may be of whole numbers") {
    const auto loss = [](auto a, auto x, auto labels) {
        const auto z = matmul(x, a);
        return sum(dyad::softplus(z) - labels * z);
    };
    const xt::xtensor<int, 1> labels{0, 1};
    const vector along{1, 0, -1};
    const matrix hessian = dyad::hessian<0>(loss)(vector(w * 0.1), m, labels);
    const vector curved = dyad::hvp<0>(loss)(std::tuple{vector(w * 0.1), m, labels}, along);
    for (std::size_t i = 0; i < 3; ++i) CHECK(curved(i) == doctest::Approx(hessian(i, 0) - hessian(i, 2)));
    vector by_z = xt::zeros<double>({2}), slope = xt::zeros<double>({3}); // the slopes of softplus less the labels
    for (std::size_t k = 0; k < 2; ++k) {
        by_z(k) = 1 / (1 + std::exp(-0.1 * (m(k, 0) - m(k, 1) + 2 * m(k, 2)))) - labels(k);
        for (std::size_t i = 0; i < 3; ++i) slope(i) += by_z(k) * m(k, i);
    }
    CHECK(dyad::jvp<0>(loss)(std::tuple{vector(w * 0.1), m, labels}, along).second == doctest::Approx(slope(0) - slope(2)));
    const auto both = dyad::jvp<1, 0>(loss)(std::tuple{vector(w * 0.1), m, labels}, std::tuple{matrix{{0, 1, 0}, {0, 0, 0}}, along});
    CHECK(both.second == doctest::Approx(by_z(0) * -0.1 + slope(0) - slope(2)));
    CHECK_THROWS_WITH_AS(dyad::hvp<0>(loss)(std::tuple{w, m, labels}, vector{1, 0}), "[dyad] hvp: a direction has shape [2], its argument [3]", dyad::shape_error);
}
TEST_CASE("the jacobian of a function that returns a tuple") {
    const vector x{0.3, 1.1, -0.4};
    const auto [of_sines, of_sum, of_products] = dyad::jacobian([](auto a) { return std::tuple{sin(a), sum(a * a), slice(a, 0, 1) * slice(a, 0, 0, -1)}; })(x);
    CHECK(apart(of_sines, made<2>({3, 3}, [&](auto i, auto j) { return i == j ? std::cos(x(i)) : 0; })) < 1e-15);
    CHECK(apart(of_sum, vector(2 * x)) < 1e-15);
    CHECK(apart(of_products, made<2>({2, 3}, [&](auto i, auto j) { return j == i ? x(i + 1) : j == i + 1 ? x(i) : 0; })) < 1e-15);
    // Two results by two arguments: row by row.
    const auto [a, b, c, d] = dyad::jacobian<0, 1>([](auto u, auto n) { return std::pair{matmul(n, u), u}; })(x, m);
    CHECK(apart(a, m) < 1e-15);
    CHECK(apart(b, made<3>({2, 2, 3}, [&](auto i, auto k, auto j) { return i == k ? x(j) : 0; })) < 1e-15);
    CHECK(c == made<2>({3, 3}, [](auto i, auto j) { return i == j ? 1 : 0; }));
    CHECK(d == xt::xtensor<double, 3>(xt::zeros<double>({3, 2, 3})));
}
