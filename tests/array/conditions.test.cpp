// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Conditions as numbers and numbers as conditions, in functions and expressions of arrays.
#include <doctest/doctest.h>

#include <span>
#include <tuple>
#include <utility>

#include <dyad/array.hpp>

namespace {

using V = xt::xtensor<double, 1>;
using M = xt::xtensor<double, 2>;
using dyad::evaluate;

} // namespace

TEST_CASE("numbers stand for conditions: they hold unless they are 0") {
    constexpr auto f = [](auto c, auto x) { return dyad::where(c, x, 2 * x); };
    const V m{1, 0, 1}, a{0.5, 2, 3};
    const auto [held, turned, joined, counted] = evaluate([](auto c, auto x) {
        return std::tuple{sum(dyad::where(c, x, -x)), sum(dyad::where(!c, x, -x)), sum(dyad::where(c && x > 2, x, -x)), sum(where(cumsum(x > 1), x, 10))};
    }, m, a);
    CHECK(held == 1.5);
    CHECK(turned == -1.5);
    CHECK(joined == 0.5);
    CHECK(counted == 15);
    CHECK(dyad::grad<1>([](auto c, auto x) { return sum(dyad::where(c, x, 2 * x)); })(m, a) == V{1, 2, 1});
    CHECK(dyad::kernel(f)(m, a) == V{0.5, 4, 3});
    CHECK(dyad::kernel(f)(xt::xtensor<int, 1>{-1, 0, 2}, a) == V{0.5, 4, 3});
    dyad::var<"m", V> c{m};
    dyad::var<"x", V> x{a};
    CHECK(sum(dyad::where(c, x, -x)).value() == 1.5);
}

TEST_CASE("arrays of conditions are arguments: masks, whatever computes them") {
    constexpr auto f = [](auto x, auto m) { return sum(dyad::where(m, x * x, -x)); };
    const xt::xtensor<bool, 1> m{true, false, true};
    const V a{1, 2, 3}, b{4, 5, 6};
    CHECK(dyad::value_and_grad<0>(f)(a, m) == std::pair{8.0, V{2, -1, 6}});
    CHECK(dyad::value_and_grad<0>(f)(a, a > 1.5) == std::pair{12.0, V{-1, 4, 6}});
    CHECK(dyad::value_and_grad<0>(f)(V{1, 2}, xt::view(m, xt::range(0, 3, 2))) == std::pair{5.0, V{2, 4}});
    const bool flags[] = {false, true, true};
    CHECK(dyad::value_and_grad<0>(f)(a, dyad::view(flags, 3)) == std::pair{12.0, V{-1, 4, 6}});
    CHECK(dyad::value_and_grad<0>(f)(a, std::span(flags)) == std::pair{12.0, V{-1, 4, 6}});
    CHECK(evaluate([](auto x, auto k) { return sum(dyad::where(!k, x, 0)) + sum(dyad::where(k && x > 2, x, 0)) + sum(k) + sum(k * x); }, a, m) == 11);
    const xt::xtensor<float, 1> single{1, 2, 3};
    CHECK(dyad::value_and_grad<0>(f)(single, m) == std::pair{8.0F, xt::xtensor<float, 1>{2, -1, 6}});
    const xt::xtensor<bool, 2> rows{{true, false, true}, {false, false, false}};
    CHECK(dyad::value_and_grad<0>([](auto x, auto k) { return sum(dyad::where(k, x, 0.5 * x)); })(a, rows) == std::pair{8.0, V{1.5, 1, 1.5}});
    CHECK(dyad::kernel([](auto k, auto x) { return dyad::where(k, x, 2 * x); })(m, a) == V{1, 4, 3});
    CHECK(dyad::value_and_grad([m](auto x) { return sum(dyad::where(m, x, 0)); })(a) == std::pair{4.0, V{1, 0, 1}});
    // At once, and beside variables.
    CHECK(dyad::where(a > 1.5, a, b) == V{4, 2, 3});
    CHECK(dyad::where(m, a, 0.0) == V{1, 0, 3});
    CHECK(dyad::sum(m) == 2);
    dyad::var<"x", V> x{a};
    CHECK(std::get<0>(gradient(dyad::sum(dyad::where(m, x * x, -x)), x)) == V{2, -1, 6});
    dyad::var<"m", xt::xtensor<bool, 1>> k{m};
    CHECK(dyad::sum(dyad::where(k, x, 0)).value() == 4);
    xt::xtensor<bool, 1> found{true, true, true};
    dyad::evaluate_into(found, x > 2.0);
    CHECK(found == xt::xtensor<bool, 1>{false, false, true});
}

TEST_CASE("conditions stand for numbers: 1 and 0") {
    const V a{1, -2, 3}, b{1, 2, 3};
    const auto [product, share, factor, inner, count] = evaluate([](auto x, auto y) {
        return std::tuple{sum((x > 0) * x), mean((x > 0) == (y > 0)), sum(relu(x) * (y > 0)), dot(x > 0, y), sum((x > 0) + (y > 0))};
    }, a, b);
    CHECK(product == 4);
    CHECK(share == doctest::Approx(2.0 / 3));
    CHECK(factor == 4);
    CHECK(inner == 4);
    CHECK(count == 5);
    CHECK(dyad::grad([](auto x) { return sum((x > 0) * x * x); })(a) == V{2, 0, 6});
    dyad::var<"x", V> x{a};
    CHECK(sum((x > 0) * x).value() == 4);
    CHECK(std::get<0>(gradient(sum((x > 0) * x), x)) == V{1, 0, 1});
}

TEST_CASE("conditions that are moved, gathered and go round loops") {
    const V a{1, -2, 3};
    const auto [gathered, moved] = evaluate([](auto x, auto i) {
        return std::pair{sum(where(take(x > 0, i), x, 10)), sum(where(transpose(x > 0), x, 10) + where(slice(concatenate(x > 0, x < 0), 0, 0, 3), x, 10))};
    }, a, xt::xtensor<int, 1>{0, 1, 2});
    CHECK(gathered == 14);
    CHECK(moved == 28);
    const auto [scanned, stacked, mapped, chosen] = evaluate([](auto x) {
        return std::tuple{dyad::scan([](auto s, auto m) { return std::pair{s + where(m, 1.0, 0.0), s}; }, 0.0, x > 0).first,
                          sum(where(dyad::scan([](auto s, auto e) { return std::pair{s + e, e > 0}; }, 0.0, x).second, x, 10)),
                          sum(dyad::vmap([](auto m, auto e) { return where(m, e, -e); })(x > 0, x)),
                          dyad::cond(x[0] > 0, [](auto m, auto y) { return sum(where(m, y, 1)); }, [](auto m, auto y) { return sum(where(m, 1, y)); }, x > 0, x)};
    }, a);
    CHECK(scanned == 2);
    CHECK(stacked == 14);
    CHECK(mapped == 6);
    CHECK(chosen == 5);
    CHECK(dyad::grad([](auto x) { return sum(where(dyad::scan([](auto s, auto e) { return std::pair{s + e, e > s}; }, 0.0, x).second, x * x, 10)); })(a) == V{2, 0, 6});
    CHECK(evaluate([](auto x) { return dyad::scan([](auto s, auto m) { return std::pair{s + sum(where(m, 1.0, 0.0)), sum(m * 1.0)}; }, 0.0, x > 0).first; },
                   M{{1, -2, 3}, {-1, 2, -3}}) == 3);
}

TEST_CASE("masks are joined with the conditions of expressions and of functions that capture them") {
    const V a{1, -2, 3}, q{3, 3, 2};
    const xt::xtensor<bool, 1> mask{true, true, false};
    dyad::var<"x", V> x{a};
    CHECK(sum(where(x > 0 && mask, x, 0)).value() == 1);
    CHECK(sum(where(mask || x < 0, x, 0)).value() == -1);
    CHECK(dyad::grad([mask](auto y) { return sum(where(y > 0 && mask, y * y, 0)); })(a) == V{2, 0, 0});
    CHECK(dyad::evaluate(x % q) == V{1, -2, 1});
    CHECK(dyad::evaluate(q % x) == V{0, 1, 2});
}

TEST_CASE("conditions that are stretched, or come out of branches and loops, are conditions of their shape") {
    const V x{1, 2, 3};
    const M A{{1, 2, 3}, {6, 5, 4}}, mask{{0, 1, 1}, {0, 1, 1}};
    const auto [as_array, joined] = evaluate([](auto a, auto y) { return std::pair{broadcast_like(y > 1.5, a), concatenate(y > 1.5, y)}; }, A, x);
    CHECK(as_array == mask);
    CHECK(joined == V{0, 1, 1, 1, 2, 3});
    const auto [as_named, doubled] = evaluate([](auto a, auto y) { return std::pair{broadcast_to(y > 1.5, 2, 3), 2 * broadcast_like(y > 1.5, a)}; }, A, x);
    CHECK(as_named == mask);
    CHECK(doubled == M{{0, 2, 2}, {0, 2, 2}});
    CHECK(dyad::grad<0>([](auto a, auto y) { return sum(a * broadcast_like(y > 1.5, a)); })(A, x) == mask);
    const auto chosen = [](auto y) { return dyad::cond(sum(y) > 1, [](auto z) { return z > 1.5; }, [](auto z) { return z > 2.5; }, y); };
    CHECK(evaluate(chosen, x) == V{0, 1, 1});
    CHECK(evaluate(chosen, V{0, -1, 0}) == V{0, 0, 0});
    CHECK(dyad::value_and_grad([=](auto y) { return sum(y * chosen(y)); })(x) == std::pair{5.0, V{0, 1, 1}});
    const auto [scanned, mapped, rows] = evaluate([](auto a, auto y) {
        return std::tuple{dyad::scan([](auto s, auto e) { return std::pair{s, s > e}; }, y, y).second, dyad::map([y](auto e) { return y > e; }, y),
                          dyad::vmap([](auto row) { return row > 2.5; })(a)};
    }, A, x);
    CHECK(scanned == M{{0, 1, 1}, {0, 0, 1}, {0, 0, 0}});
    CHECK(mapped == M{{0, 1, 1}, {0, 0, 1}, {0, 0, 0}});
    CHECK(rows == M{{0, 0, 1}, {1, 1, 1}});
}
TEST_CASE("conditions as results have no tangents and take no cotangents") {
    const V x{1, 2, 3};
    CHECK(dyad::jvp([](auto y) { return std::pair{y > 1.5, y * y}; })(x, x) == std::pair{std::pair{V{0, 1, 1}, V{1, 4, 9}}, std::pair{V{0, 0, 0}, V{2, 8, 18}}});
    const auto above = [](auto y) { return y > 1.5; };
    CHECK(dyad::jacobian(above)(x) == xt::xtensor<double, 2>(xt::zeros<double>({3, 3})));
    const auto [value, pullback] = dyad::vjp(above)(x);
    CHECK(value == V{0, 1, 1});
    CHECK(pullback(V{1, 1, 1}) == V{0, 0, 0});
    const auto [each, slopes] = dyad::kernel(dyad::value_and_grad(above))(x);
    CHECK(each == V{0, 1, 1});
    CHECK(slopes == V{0, 0, 0});
}
