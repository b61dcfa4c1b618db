// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Shapes and indexing in three ways: traced, on expressions, on arrays at once. Sizes and positions that are numbers known at
// run time only move elements by positions; what is wrong with them is said at once.

#include "three_ways.hpp"

#include <doctest/doctest.h>

using namespace three_ways;
using namespace dyad::literals;

namespace {

using indices = xt::xtensor<int, 1>;
const vector v = numbers<double, 1>({7}), row = numbers<double, 1>({4}, 5);
const matrix m = numbers<double, 2>({3, 4}), other = numbers<double, 2>({3, 4}, 7);
const cube x = numbers<double, 3>({2, 3, 4});
constexpr double exact = 1e-13;

} // namespace

TEST_CASE("axes in another order, new ones, none of size 1") {
    CHECK(off([](const auto& a) { return dyad::transpose(a); }, m) < exact);
    CHECK(off([](const auto& a) { return dyad::transpose(a, 2, 0, 1); }, x) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::permute(a, 1, 0); }, m) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::expand_dims(a, 1); }, m) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::squeeze(dyad::expand_dims(a, -1), 2); }, m) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::reshape(a, 2, -1); }, m) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::reshape(a, -1); }, x) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::flip(a, 0); }, m) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::flip(a); }, x) < exact);
}
TEST_CASE("arrays stretched, repeated, joined, cut, padded") {
    CHECK(off([](const auto& a) { return dyad::broadcast_to(a, 2, 4); }, row) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::tile(a, 3); }, v) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::tile(a, 2, 1); }, m) < exact);
    CHECK(off([](const auto& a) { return dyad::pad(a, 1, 2, 1); }, m) < exact);
    CHECK(off([](const auto& a) { return dyad::slice(a, 1, 1, -1); }, m) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::slice(a, 0, 0, 7, 3); }, v) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::split(a, 1, 1, 3); }, m) < exact);
    CHECK(dyad::split(v, 0, 3)[0].size() == 3);
    CHECK(off([](const auto& a, const auto& b) { return dyad::concatenate(std::tuple{a, b}); }, m, other) < exact);
    CHECK(values_apart([](const auto& a, const auto& b) { return dyad::concatenate(std::tuple{a, b}, 1); }, m, other) < exact);
    CHECK(values_apart([](const auto& a, const auto& b) { return dyad::concatenate(a, b, -1); }, m, other) < exact);
    CHECK(off([](const auto& a, const auto& b) { return dyad::stack(std::tuple{a, b}, 1); }, m, other) < exact);
    CHECK(values_apart([](const auto& a, const auto& b) { return dyad::stack(std::tuple{a, b, a}); }, v, v) < exact);
}
TEST_CASE("elements gathered and scattered") {
    const indices at{2, 0, 2, -1};
    CHECK(values_apart([](const auto& a, const auto& i) { return dyad::take(a, i); }, v, at) < exact);
    CHECK(off([](const auto& a, const auto& i) { return dyad::take(a, i, 1); }, m, at) < exact);
    CHECK(values_apart([](const auto& a, const auto& i) { return dyad::take(a, i, 1); }, x, xt::xtensor<int, 2>{{0, 1}, {2, 2}, {1, 0}}) < exact);
    CHECK(off([](const auto& a, const auto& i, const auto& b) { return dyad::scatter_add(a, i, b, 1); }, m, at, other) < exact);
    CHECK(values_apart([](const auto& a, const auto& i, const auto& b) { return dyad::scatter_add(a, i, b); }, v, at, row) < exact);
    CHECK(values_apart([](const auto& a, const auto& i) { return dyad::scatter_add(a, i, 2, 1); }, x, indices{1, 1}) < exact);
}
TEST_CASE("elements and sizes of variables and expressions") {
    const dyad::var<"m", matrix> a{m};
    CHECK(a[1].value() == vector{m(1, 0), m(1, 1), m(1, 2), m(1, 3)});
    CHECK(a(2, -1).value() == m(2, 3));
    CHECK((2 * a)(0_c, 1_c).value() == 2 * m(0, 1));
    CHECK(std::get<0>(dyad::gradient(a(1, 2) * a[1][0], a)) == matrix{{0, 0, 0, 0}, {m(1, 2), 0, m(1, 0), 0}, {0, 0, 0, 0}});
    CHECK(a.size() == 12);
    CHECK((sum(a) / a.size()).value() == doctest::Approx(mean(a).value()));
    CHECK((a * a).shape(-1) == 4);
    CHECK_THROWS_AS(a[3], dyad::index_error);
    CHECK_THROWS_AS(static_cast<void>(a.shape(2)), dyad::shape_error);
}
TEST_CASE("what does not fit is said when the expression is made") {
    const dyad::var<"m", matrix> a{m};
    CHECK_THROWS_WITH_AS(transpose(a, 1, 1), "[dyad] transpose: axes, sizes or positions (1, 1) do not fit [3,4]", dyad::shape_error);
    CHECK_THROWS_AS(reshape(a, 5, -1), dyad::shape_error);
    CHECK_THROWS_AS(squeeze(a, 0), dyad::shape_error);
    CHECK_THROWS_AS(slice(a, 0, 0, 2, -1), dyad::shape_error);
    CHECK_THROWS_AS(tile(a, 0), dyad::shape_error);
    CHECK_THROWS_AS(pad(a, 0, -1, 0), dyad::shape_error);
    CHECK_THROWS_AS(broadcast_to(a, 2, 4), dyad::shape_error);
    CHECK_THROWS_AS(dyad::take(m, indices{4}, 1), dyad::index_error);
}
TEST_CASE("arrays beside expressions are operands") {
    dyad::var<"v", vector> a{row};
    vector t = row;
    const auto z = m * a - t;
    t(0) = 100; // the expression has a copy
    CHECK(apart(matrix(z.value()), made<2>({3, 4}, [](auto i, auto j) { return m(i, j) * row(j) - row(j); })) < exact);
    CHECK((std::vector<double>{1, 2, 3, 4} * a).value()(3) == 4 * row(3));
    CHECK((a / (row + row)).value() == vector{0.5, 0.5, 0.5, 0.5});
    CHECK(sum(square(a - dyad::view(row))).value() == 0);
    CHECK(matmul(m, a).value() == dyad::matmul(m, row));
    const dyad::var<"u", vector> longer{v};
    CHECK_THROWS_AS(m * longer, dyad::shape_error);
    static_assert(!std::is_invocable_v<decltype([](auto&& y) -> decltype(dyad::view(std::forward<decltype(y)>(y))) { return dyad::view(y); }), vector>);
}
TEST_CASE("functions of elements take arrays, beside expressions and alone") {
    const dyad::var<"v", vector> a{row};
    CHECK(apart(dyad::exp(m), matrix(xt::exp(m))) < exact);
    CHECK(apart(dyad::square(m + m), matrix(4 * m * m)) < exact);
    CHECK(apart(dyad::pow(dyad::exp(row), 2), vector(xt::exp(2 * row))) < exact);
    CHECK(dyad::max(row, 0.0) == vector(xt::maximum(row, 0.0)));
    CHECK(apart(dyad::hypot(row, std::vector<double>{0, 0, 0, 0}), vector(xt::abs(row))) < exact); // (libmvec: a last bit, on some processors)
    CHECK(apart(dyad::atan2(a, row).value(), vector(xt::atan2(row, row))) < exact);
    CHECK(dyad::where(a > 0, row, 0).value() == vector(xt::maximum(row, 0.0)));
    CHECK(dyad::max(a, row).value() == row);
    CHECK_THROWS_AS(dyad::hypot(row, v), dyad::shape_error);
    // One body for traced and plain arrays.
    constexpr auto loss = [](auto w, auto X, auto t) { return dyad::mean(square(dyad::matmul(X, w) - t)); };
    const vector t = numbers<double, 1>({3}, 8);
    const double plain = loss(row, m, t), traced = dyad::value_and_grad<0>(loss)(row, m, t).first;
    CHECK(plain == doctest::Approx(traced));
}
TEST_CASE("variables are made of containers, lists, vectors and expressions of xtensor, and take new values") {
    dyad::var<"v", vector> a{{1, 2, 3}};
    const dyad::var<"m", dyad::tensor<double, 2>> b{{{1, 2}, {3, 4}}};
    const dyad::var<"f", xt::xtensor<float, 1>> narrow{std::vector<float>{1, 2, 3}};
    CHECK(sum(a).value() == 6);
    CHECK(sum(b).value() == 10);
    static_assert(std::is_same_v<decltype(sum(narrow).value()), float>);
    static_assert(std::is_same_v<decltype(sum(narrow * a).value()), double>);
    CHECK(sum(narrow * a).value() == 14);
    const auto old = a * 2;
    a = {4, 5};
    CHECK(old.value() == vector{2, 4, 6});
    CHECK(a.value() == vector{4, 5});
    a = vector{1, 2} + 1;
    CHECK(a.value() == vector{2, 3});
}
