// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Reductions, softmax and running sums in three ways: traced, on expressions, on arrays at once; axes that are numbers,
// constants, negative, several; keep_dims. Names that xtensor has too.

#include "three_ways.hpp"

#include <doctest/doctest.h>

using namespace three_ways;
using dyad::keep_dims;
using namespace dyad::literals;

namespace {

const vector v = numbers<double, 1>({7});
const matrix m = numbers<double, 2>({3, 4});
const cube x = numbers<double, 3>({2, 3, 4});
constexpr double exact = 1e-13;

} // namespace

TEST_CASE("reductions along an axis, and their gradients") {
    CHECK(off([](const auto& a) { return dyad::sum(a, 0); }, m) < exact);
    CHECK(off([](const auto& a) { return dyad::mean(a, -1); }, m) < exact);
    CHECK(off([](const auto& a) { return dyad::prod(a, 1); }, m) < exact);
    CHECK(off([](const auto& a) { return dyad::max(a, 1); }, m) < exact);
    CHECK(off([](const auto& a) { return dyad::norm(a, 0); }, m) < exact);
    CHECK(off([](const auto& a) { return dyad::logsumexp(a, 0); }, m) < exact);
}
TEST_CASE("reductions over all elements") {
    CHECK(values_apart([](const auto& a) { return dyad::sum(a); }, v) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::mean(a, 0, 1); }, m) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::prod(a); }, v) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::min(a); }, v) < exact);
    CHECK(off([](const auto& a) { return dyad::norm(a); }, v) < exact);
    CHECK(off([](const auto& a) { return dyad::variance(a); }, v) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::logsumexp(a); }, v) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::argmin(a); }, v) < exact);
}
TEST_CASE("several axes, and axes that stay") {
    CHECK(off([](const auto& a) { return dyad::sum(a, 2, 0, keep_dims); }, x) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::variance(a, 0, 2); }, x) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::amax(a, -1, keep_dims); }, m) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::min(a, 0, keep_dims); }, m) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::argmax(a, 1); }, m) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::max(a, 0, 2); }, x) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::max(a, keep_dims); }, m) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::min(a, 0, 2, keep_dims); }, x) < exact);
}
TEST_CASE("what keeps its axes agrees in three ways") {
    CHECK(values_apart([](const auto& a) { return dyad::softmax(a); }, v) < exact);
    CHECK(off([](const auto& a) { return dyad::softmax(a, 0); }, m) < exact);
    CHECK(off([](const auto& a) { return dyad::log_softmax(a, 1); }, m) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::cumsum(a); }, v) < exact);
    CHECK(off([](const auto& a) { return dyad::cumprod(a, 1); }, m) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::cumsum(a, -2); }, x) < exact);
}
TEST_CASE("a variance is found under its short name too") {
    const dyad::var<"m", matrix> a{m};
    const auto by_hand = evaluated([](auto b) { return var(b, 1); }, m);
    CHECK(apart(var(a, 1).value(), by_hand) < exact);
    CHECK(apart(var(2 * a, 0_c).value(), evaluated([](auto b) { return dyad::var(b * 2, 0); }, m)) < exact);
    CHECK(apart(vector(dyad::var(m, 1)), by_hand) < exact);
    CHECK(apart(dyad::var(a, 1).value(), by_hand) < exact);
    const double all = dyad::var(m);
    CHECK(all == doctest::Approx(dyad::variance(m)));
    CHECK(var(a).value() == doctest::Approx(all));
}
TEST_CASE("axes as numbers and as constants are the same, and wrong ones are refused") {
    const dyad::var<"m", matrix> a{m};
    CHECK(sum(a * a, 1).value() == sum(a * a, 1_c).value());
    CHECK(std::get<0>(dyad::gradient(norm(sum(a, 0)), a)) == std::get<0>(dyad::gradient(norm(sum(a, 0_c)), a)));
    CHECK_THROWS_WITH_AS(sum(a, 2), "[dyad] sum: axis 2 is not in [-2, 2)", dyad::shape_error);
    CHECK_THROWS_WITH_AS(softmax(a, -3), "[dyad] softmax: axis -3 is not in [-2, 2)", dyad::shape_error);
    CHECK_THROWS_WITH_AS(sum(a, 1, -1), "[dyad] sum: axis -1 is named twice", dyad::shape_error);
    CHECK_THROWS_AS(dyad::mean(m, 5), dyad::shape_error);
    CHECK_THROWS_AS(dyad::max(vector()), dyad::value_error);
}
TEST_CASE("of a variable with a container's type, the library's functions are found, not the container's") {
    dyad::var<"v", vector> a{v};
    const dyad::var<"v", vector>& c = a;
    dyad::var<"m", matrix> b{m};
    static_assert(dyad::eager<decltype(sum(a))> && dyad::eager<decltype(sum(c))> && dyad::eager<decltype(sum(b, 0))>);
    static_assert(dyad::eager<decltype(mean(a))> && dyad::eager<decltype(prod(b, 1_c))> && dyad::eager<decltype(norm(c))>);
    static_assert(dyad::eager<decltype(amax(a))> && dyad::eager<decltype(amin(b, 0))> && dyad::eager<decltype(argmax(a))>);
    static_assert(dyad::eager<decltype(variance(a))> && dyad::eager<decltype(var(a))> && dyad::eager<decltype(transpose(b))>);
    static_assert(dyad::eager<decltype(cumsum(a))> && dyad::eager<decltype(flip(b, 0))> && dyad::eager<decltype(squeeze(sum(b, 0, keep_dims), 0))>);
    static_assert(dyad::eager<decltype(expand_dims(a, 0))> && dyad::eager<decltype(diag(a))> && dyad::eager<decltype(trace(b))>);
    static_assert(dyad::eager<decltype(concatenate(std::tuple{a, a}))> && dyad::eager<decltype(stack(std::tuple{a, a}, 1))>);
    static_assert(dyad::eager<decltype(exp(a))> && dyad::eager<decltype(a + a)> && dyad::eager<decltype(-b)> && dyad::eager<decltype(square(a))>);
    CHECK(sum(a).value() == doctest::Approx(xt::sum(v)()));
    CHECK(max(a).value() == xt::amax(v)());
}
