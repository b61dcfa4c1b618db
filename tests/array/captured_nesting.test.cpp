// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Loops, branches, rules and transforms in functions of arrays that capture, and in expressions: the same programs traced, where
// nothing is captured, and closed forms.

#include "differences.hpp"

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <tuple>
#include <utility>

using namespace differences;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
const vector w = numbers<double, 1>({3}), d = numbers<double, 1>({3}, 2);
const matrix A = square_matrix(3, 3);
constexpr double k = 0.3;

vector gradient_of(double value, std::pair<double, vector> both) {
    CHECK(both.first == doctest::Approx(value).epsilon(1e-13));
    return std::move(both.second);
}
/// A program (v, A, k) -> number, with what is not v passed, and captured.
template <class Program>
vector agree(const Program& program, const vector& v = w) {
    const auto traced = dyad::value_and_grad<0>(program)(v, A, k);
    CHECK(apart(gradient_of(traced.first, dyad::value_and_grad([&](auto x) { return program(x, A, k); })(v)), traced.second) < 1e-13);
    return traced.second;
}
/// The same, with second derivatives, and as an expression.
template <class Program>
void agree_everywhere(const Program& program) {
    const vector slope = agree(program);
    CHECK(apart(dyad::hvp([&](auto x) { return program(x, A, k); })(w, d), dyad::hvp<0>(program)(std::tuple{w, A, k}, d)) < 1e-12);
    dyad::var<"v", vector> x{w};
    const auto z = program(x, A, k);
    CHECK(z.value() == doctest::Approx(dyad::evaluate(program, w, A, k)).epsilon(1e-13));
    CHECK(apart(dyad::diff(z, x).value(), slope) < 1e-13);
}

inline constexpr auto cube = [](auto u, auto B) { return dyad::sum(u * u * dyad::matmul(B, u)); };

} // namespace

TEST_CASE("arrays go round loops") {
    agree_everywhere([](auto v, auto B, auto c) {
        const auto s = dyad::fori_loop(4, [&](auto i, auto u) { return c * dyad::tanh(dyad::matmul(B, u)) + v * (i + 1); }, v);
        return dyad::sum(s * s);
    });
    agree([](auto v, auto B, auto c) {
        const auto s = dyad::while_loop([&](auto t) { return dyad::sum(std::get<0>(t) * std::get<0>(t)) < 50; },
                                        [&](auto t) { return std::tuple{dyad::matmul(B, std::get<0>(t)), std::get<1>(t) * c + 1}; }, std::tuple{v, 2.0});
        return dyad::sum(std::get<0>(s)) * std::get<1>(s);
    });
}
TEST_CASE("what begins as whole numbers goes round as real ones") {
    const xt::xtensor<int, 1> first{1, 2, 3};
    const auto f = [&](auto v) { return dyad::sum(square(dyad::fori_loop(2, [&](auto, auto s) { return s + v; }, first))); };
    CHECK(dyad::grad(f)(vector{0.5, 0.25, 1.0}) == vector{8, 10, 20}); // 4 (first + 2 v)
}
TEST_CASE("a body that changes a shape is refused") {
    const double c = k;
    const auto f = [c](auto v) { return c * dyad::sum(dyad::fori_loop(2, [](auto, auto s) { return dyad::slice(s, 0, 1); }, v)); };
    CHECK_THROWS_WITH_AS(dyad::grad(f)(w), doctest::Contains("loop: the body changes a shape"), dyad::shape_error);
}

TEST_CASE("functions of a branch that give other shapes are refused, whichever runs") {
    const double c = k;
    const auto f = [c](auto v) { return c * dyad::sum(dyad::cond(dyad::sum(v) > 0, [&] { return v * v; }, [&] { return dyad::slice(v, 0, 1); })); };
    CHECK_THROWS_WITH_AS(dyad::grad(f)(w), "[dyad] cond: the two functions give results of different shapes: [3] vs. [2]", dyad::shape_error);
}

TEST_CASE("only the chosen branch runs") {
    const auto program = [](auto v, auto B, auto c) {
        const auto u = dyad::cond(dyad::sum(v) > 0, [&](auto x) { return c * x * x; }, [&](auto x) { return dyad::matmul(B, x); }, 2 * v);
        return dyad::sum(u * v);
    };
    agree(program, vector{0.5, 1, 2});
    agree(program, vector{0.5, 1, -2});
    const matrix singular = xt::ones<double>({3, 3});
    const auto solved = [&](auto v) { return dyad::cond(dyad::sum(v) > 0, [&](auto x) { return x; }, [&](auto x) { return dyad::solve(singular, x); }, v); };
    CHECK(dyad::grad([&](auto v) { return dyad::sum(solved(v)); })(vector{1, 2, 3}) == vector{1, 1, 1});
    dyad::var<"v", vector> x{vector{1, 2, 3}};
    CHECK(solved(x).value() == x.value());
    x = vector{1, 2, -4};
    CHECK_THROWS_AS(static_cast<void>(solved(x).value()), dyad::value_error);
}

TEST_CASE("what a branch gave has its shape") {
    const double c = k;
    const auto chosen = [c](auto v) { return dyad::cond(dyad::sum(v) > c, [](auto x) { return x * x; }, [](auto x) { return 2 * x; }, v); };
    const vector u{1, 2, 3};
    dyad::var<"u", vector> x{u};
    const auto z = chosen(x);
    CHECK(z.size() == 3);
    CHECK(z(2).value() == 9);
    CHECK(dyad::grad([&](auto v) { return dyad::sum(chosen(v)) / chosen(v).size(); })(u) == vector{2.0 / 3, 4.0 / 3, 2});
    CHECK(apart(dyad::grad([&](auto v) { return dyad::sum(dyad::fori_loop(1, [&](auto, auto s) { return dyad::matmul(A, s); }, chosen(v))); })(vector{2, 1, 1}),
                vector{4 * (A(0, 0) + A(1, 0) + A(2, 0)), 2 * (A(0, 1) + A(1, 1) + A(2, 1)), 2 * (A(0, 2) + A(1, 2) + A(2, 2))}) < 1e-14);
    CHECK(dyad::jvp([](auto v) { return dyad::sum(v * v); })(z, x).second.value() == 72); // 2 u² u
}
TEST_CASE("a pullback keeps what it needs") {
    dyad::var<"w", vector> x{vector{1, 2, 3}};
    const auto made = [&] {
        const std::array<double, 3> local{4, 5, 6};
        const auto scale = std::make_unique<vector>(vector{1, 2, 1});
        return std::pair{dyad::vjp<0>([](auto v, auto a) { return v * v * a; })(x, dyad::view(local.data(), 3)).second,
                         dyad::vjp<0>([](auto v, auto a) { return v * v * a; })(x, 2 * *scale).second};
    }();
    CHECK(made.first(x).value() == vector{8, 40, 108});
    CHECK(made.second(x).value() == vector{4, 32, 36});
}

TEST_CASE("rules are obeyed, checkpoints recompute") {
    const auto doubled = [](auto v, auto B, auto c) { // c B v² with three times its slope
        const auto f = dyad::custom_gradient([](auto u, auto M) { return dyad::matmul(M, u * u); },
                                             [](auto u, auto M, auto, auto up) { return std::tuple{6 * u * dyad::matmul(dyad::transpose(M), up), 0 * M}; });
        return c * dyad::sum(f(v, B));
    };
    const auto slope = dyad::grad([&](auto v) { return doubled(v, A, k); })(w);
    for (std::size_t i = 0; i < 3; ++i) CHECK(slope(i) == doctest::Approx(6 * k * w(i) * (A(0, i) + A(1, i) + A(2, i))));
    agree([](auto v, auto B, auto c) { return c * dyad::sum(dyad::checkpoint([](auto u, auto M) { return dyad::exp(dyad::matmul(M, u)); })(v * v, B)); });
}

TEST_CASE("transforms nest: gradients of gradients, and through steps down a gradient") {
    agree_everywhere([](auto v, auto B, auto c) { // what is captured from around is constant inside, and variable outside
        const auto loss = [&](auto u) { return dyad::sum(square(dyad::matmul(B, u) - c * v)); };
        return loss(v * v - c * dyad::grad(loss)(v * v));
    });
    agree([](auto v, auto B, auto c) {
        const auto u = dyad::fori_loop(3, [&](auto, auto s) { return s - 0.01 * dyad::grad([&](auto z) { return cube(z, B) + dyad::sum(z * v) * c; })(s); }, v);
        return dyad::sum(u * u);
    });
    agree([](auto v, auto B, auto c) { // of a function without captures, by both arguments
        const auto [value, slopes] = dyad::value_and_grad(cube)(c * v, B);
        return value + dyad::sum(std::get<0>(slopes) * v) + dyad::sum(dyad::tanh(std::get<1>(slopes)));
    });
}
TEST_CASE("products with derivatives nest") {
    agree([](auto v, auto B, auto c) {
        const auto [value, slope] = dyad::jvp([&](auto u) { return dyad::matmul(B, u * u); })(v, c * v);
        return dyad::sum(value * slope);
    });
    agree([](auto v, auto B, auto c) { return c * dyad::sum(dyad::hvp<0>(cube)(std::tuple{v * v, B}, dyad::sin(v))); });
    agree([](auto v, auto B, auto c) {
        const auto [value, pullback] = dyad::vjp([&](auto u) { return dyad::matmul(B, c * u * u); })(v);
        return dyad::sum(pullback(value) * v);
    });
    const auto pullback = dyad::vjp([](auto u, auto M) { return dyad::matmul(M, u * u); })(w, A).second; // made outside, of plain arrays
    const auto f = [&](auto v) { return k * dyad::sum(std::get<0>(pullback(v * v))); };
    const auto slope = dyad::grad(f)(d);
    for (std::size_t i = 0; i < 3; ++i) {
        double expected = 0;
        for (std::size_t j = 0; j < 3; ++j) expected += 4 * k * d(i) * A(i, j) * w(j);
        CHECK(slope(i) == doctest::Approx(expected));
    }
}
TEST_CASE("transforms at plain numbers and arrays, of what captures an argument from around") {
    agree([](auto v, auto, auto c) { return dyad::jvp([&](auto t) { return c * dyad::sum(dyad::tanh(v + t * v)); })(0.0, 1.0).second; });
    const double c = k;
    const vector plain{1, 1, 2};
    const auto f = [c, &plain](auto v) { return c * dyad::sum(dyad::grad([&](auto u) { return dyad::sum(u * u * u * v); })(plain) * v); };
    CHECK(apart(dyad::grad(f)(w), vector{6 * k * w(0), 6 * k * w(1), 24 * k * w(2)}) < 1e-14);
}
TEST_CASE("a view in a tuple beside an expression") {
    const matrix whole = numbers<double, 2>({6, 3}, 4);
    const auto rows = xt::view(whole, xt::range(0, 6, 2), xt::all());
    const double c = k;
    const auto slope = dyad::grad([&](auto v) { return c * dyad::jvp<0>([](auto u, auto W) { return dyad::sum(dyad::matmul(W, u * u)); })(std::tuple{v, rows}, v).second; })(w);
    for (std::size_t i = 0; i < 3; ++i) CHECK(slope(i) == doctest::Approx(4 * c * w(i) * (whole(0, i) + whole(2, i) + whole(4, i))));
}
TEST_CASE("masks and positions beside expressions are data") {
    const xt::xtensor<int, 1> at{2, 0, 2};
    const auto f = [&](auto v) { return k * dyad::sum(v * dyad::grad<0>([](auto u, auto i) { return dyad::prod(dyad::take(u, i)); })(v, at)); };
    CHECK(apart(dyad::grad(f)(w), vector{3 * k * w(2) * w(2), 0, 6 * k * w(0) * w(2)}) < 1e-14);
    const double most = 0.1;
    const auto g = [&](auto v) { return dyad::sum(dyad::grad<0>([](auto u, auto m, auto c) { return dyad::sum(dyad::where(m, u * u * u, c * u)); })(v, v > most, k)); };
    const vector slope = dyad::grad(g)(w);
    for (std::size_t i = 0; i < 3; ++i) CHECK(slope(i) == doctest::Approx(w(i) > 0.1 ? 6 * w(i) : 0));
}
TEST_CASE("directions and cotangents of other shapes are refused") {
    const double c = k;
    const auto shorter = [c](auto v) { return c * dyad::jvp([](auto u) { return dyad::sum(u * u); })(v, dyad::slice(v, 0, 1)).second; };
    CHECK_THROWS_WITH_AS(dyad::grad(shorter)(w), "[dyad] jvp: a tangent has shape [2], its argument [3]", dyad::shape_error);
    const auto pulled = [c](auto v) { return c * dyad::sum(dyad::vjp([](auto u) { return u * u; })(v).second(dyad::slice(v, 0, 1))); };
    CHECK_THROWS_WITH_AS(dyad::grad(pulled)(w), "[dyad] vjp: a cotangent has shape [2], the result [3]", dyad::shape_error);
}
TEST_CASE("floats stay floats, and no elements are nothing") {
    const float c = 0.5F;
    const auto f = [&](auto v) { return c * dyad::sum(dyad::grad([](auto u) { return dyad::sum(u * u * u); })(v)); };
    static_assert(std::is_same_v<decltype(dyad::grad(f)(xt::xtensor<float, 1>{})), xt::xtensor<float, 1>>);
    CHECK(dyad::grad(f)(xt::xtensor<float, 1>{1, 2, 3}) == xt::xtensor<float, 1>{3, 6, 9});
    CHECK(dyad::value_and_grad(f)(xt::xtensor<float, 1>{}) == std::pair{0.0F, xt::xtensor<float, 1>{}});
}
