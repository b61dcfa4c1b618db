// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Kernels of functions with loops and branches, at every element of arrays.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include <dyad/array.hpp>
#include <dyad/implicit.hpp>

namespace {

using V = xt::xtensor<double, 1>;
using M = xt::xtensor<double, 2>;
using dyad::kernel;

constexpr auto doubled = [](auto x) { return dyad::while_loop([](auto s) { return s < 10; }, [](auto s) { return 2 * s; }, x); };
constexpr auto power = [](auto x, auto n) { return dyad::fori_loop(n, [x](auto, auto s) { return s * x; }, 1.0); };
constexpr auto chosen = [](auto x, auto y) { return dyad::cond(x > y, [](auto p, auto q) { return p * q; }, [](auto p, auto q) { return p + q; }, x, y); };
/// sqrt(c a), by an equation that captures.
constexpr auto rooted = [](const auto& c, const auto& a) {
    return dyad::implicit_root([=](auto y, auto b) { return y * y - c * b; }, [=](auto b) { return dyad::stop_gradient(dyad::sqrt(c * b)); })(a);
};

} // namespace

TEST_CASE("in a kernel each element takes its own rounds and branches") {
    const V a{0.5, 2, 3};
    CHECK(kernel(doubled)(a) == V{16, 16, 12});
    CHECK(kernel(dyad::grad(doubled))(a) == V{32, 8, 4});
    CHECK(kernel([](auto x) { return dyad::fori_loop(3, [x](auto, auto s) { return s * x; }, x); })(a) == V{0.0625, 16, 81});
    CHECK(kernel([](auto x) { return dyad::cond(x > 1, [](auto s) { return s * s; }, [](auto s) { return -s; }, x); })(a) == V{-0.5, 4, 9});
    const xt::xtensor<int, 1> n{2, 3, 0};
    CHECK(kernel(power)(a, n) == V{0.25, 8, 1});
    CHECK(kernel(dyad::grad<0>(power))(a, n) == V{1, 12, 0});
    const auto [value, slope] = kernel(dyad::value_and_grad<0>(power))(a, 2);
    CHECK(value == V{0.25, 4, 9});
    CHECK(slope == V{1, 4, 6});
    constexpr auto kept = [](auto x) { return dyad::checkpoint([](auto y) { return sin(y) * y; })(x); };
    const V slopes = kernel(dyad::grad(kept))(a);
    const V roots = kernel([](auto x) { return dyad::fixed_point([](auto y, auto s) { return (y + s / y) / 2; }, 1.0)(x); })(a);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(slopes(i) == doctest::Approx(dyad::grad(kept)(a(i))).epsilon(1e-14));
        CHECK(roots(i) == doctest::Approx(std::sqrt(a(i))).epsilon(1e-14));
    }
    const double k = 2;
    CHECK(kernel([k](auto x) { return dyad::while_loop([](auto s) { return s < 10; }, [k](auto s) { return k * s; }, x); })(a) == V{16, 16, 12});
}

TEST_CASE("kernels with loops: shapes, sizes and containers") {
    const V a{0.5, 2, 3};
    const M c{{1, 1, 1}, {2, 2, 2}};
    CHECK(kernel(chosen)(a, c) == M{{1.5, 2, 3}, {2.5, 4, 6}});
    const auto [by_a, by_c] = kernel(dyad::grad(chosen))(a, c);
    CHECK(by_a == M{{1, 1, 1}, {1, 1, 2}});
    CHECK(by_c == M{{1, 2, 3}, {1, 1, 3}});
    CHECK(kernel(chosen)(a, M{{1}, {2}}) == M{{1.5, 2, 3}, {2.5, 4, 6}}); // stretched, as everywhere
    CHECK_THROWS_WITH_AS(kernel(chosen)(a, M{{1, 1}}), "[dyad] kernel: Incompatible shapes: [3] vs. [1,2]", dyad::shape_error);
    CHECK(kernel(doubled)(V::from_shape({0})).size() == 0);
    CHECK(kernel(doubled)(xt::xtensor<float, 2>{{1.0F, 20.0F}}) == xt::xtensor<float, 2>{{16.0F, 20.0F}});
    V out(std::array<std::size_t, 1>{3});
    dyad::evaluate_into(out, kernel(doubled), a);
    CHECK(out == V{16, 16, 12});
    const std::vector<double> v{1, 2}, ones{1, 1}, grown{16, 16};
    CHECK(kernel([](auto x) { return std::tuple{doubled(x), 1.0, x}; })(v) == std::tuple{grown, ones, v});
}

TEST_CASE("the sizes of all arguments count, also of those that a kernel does not read") {
    const V a{0.5, 2, 3}, one{2}, four{1, 2, 3, 4};
    const auto slope = kernel(dyad::grad<0>([](auto x, auto y) { return 2 * x + y; }));
    CHECK(slope(a, one) == V{2, 2, 2});
    CHECK(slope(one, a) == V{2, 2, 2});
    CHECK(slope(a, 1.0) == V{2, 2, 2});
    CHECK(slope(a, M{{1}, {2}}) == M{{2, 2, 2}, {2, 2, 2}});
    CHECK_THROWS_WITH_AS(slope(a, four), "[dyad] kernel: Incompatible shapes: [3] vs. [4]", dyad::shape_error);
    const double k = 3;
    CHECK_THROWS_AS(kernel(dyad::grad<0>([k](auto x, auto y) { return k * x + y; }))(a, four), dyad::shape_error);
    const auto rounds = kernel(dyad::grad<1>([](auto x, auto y) { return dyad::fori_loop(2, [&](auto, auto s) { return s + x; }, 3 * y); }));
    CHECK(rounds(a, one) == V{3, 3, 3});
    CHECK_THROWS_AS(rounds(a, four), dyad::shape_error);
}
TEST_CASE("kernels of products of functions that capture numbers") {
    const V x{1, 2, 3}, y{2, 3, 4};
    const double k = 1.5;
    const auto f = [k](auto a, auto b) { return a * a * b * k; };
    const auto [value, along_first] = kernel(dyad::jvp<0>(f))(std::tuple{x, y}, x);
    CHECK(value == V{3, 18, 54});
    CHECK(along_first == V{6, 36, 108});
    CHECK(kernel(dyad::jvp(f))(std::tuple{x, y}, std::tuple{x, y}).second == V{9, 54, 162});
    CHECK(kernel(dyad::jvp<1>(f))(std::tuple{x, y}, 2.0).second == V{3, 12, 27});
    CHECK(kernel(dyad::hvp<0>(f))(std::tuple{x, y}, x) == V{6, 18, 36});
    CHECK(kernel(dyad::hvp(f))(std::tuple{x, y}, std::tuple{x, y}) == std::tuple{V{12, 36, 72}, V{3, 12, 27}});
    const auto square = [k](auto a) { return a * a * k; };
    CHECK(kernel(dyad::jvp(square))(x, y) == std::pair{V{1.5, 6, 13.5}, V{6, 18, 36}});
    CHECK(kernel(dyad::jvp(dyad::grad(square)))(x, y) == std::pair{V{3, 6, 9}, V{6, 9, 12}});
    const auto rounds = [k](auto a) { return dyad::fori_loop(3, [=](auto, auto s) { return s * a * k; }, a); };
    CHECK(kernel(dyad::jvp(rounds))(x, y).second == V{27, 324, 1458});
    const xt::xtensor<int, 1> n{1, 2, 3};
    CHECK(kernel(dyad::jvp<0>([k](auto a, auto m) { return a * m * k; }))(std::tuple{x, n}, y).second == V{3, 9, 18});
}
TEST_CASE("equations capture what scans, maps and reductions of data give") {
    const xt::xtensor<double, 1> X{0.5, 1.25, -0.75};
    const auto of_map = [=](auto x, auto a) {
        return rooted(sum(dyad::map([](auto e) { return dyad::fori_loop(3, [&](auto, auto s) { return s * e + exp(s); }, e); }, x)), a);
    };
    const auto of_scan = [=](auto x, auto a) { return rooted(sum(dyad::scan([](auto s, auto e) { return std::pair{s * e + exp(s), s * e}; }, 0.5, x).second) + 9, a); };
    const auto of_element = [=](auto x, auto a) { return sum(dyad::map([&](auto e) { return rooted(e * e, a); }, x)); };
    for (const double a : {0.7, 3.0}) {
        CHECK(dyad::grad<1>(of_map)(X, a) == doctest::Approx(dyad::evaluate(of_map, X, a) / (2 * a)).epsilon(1e-13)); // of sqrt(c a)
        CHECK(dyad::grad<1>(of_scan)(X, a) == doctest::Approx(dyad::evaluate(of_scan, X, a) / (2 * a)).epsilon(1e-13));
        CHECK(dyad::grad<1>(of_element)(X, a) == doctest::Approx(dyad::evaluate(of_element, X, a) / (2 * a)).epsilon(1e-13));
    }
}
TEST_CASE("roots are differentiated by arrays, and sums of them, that their equations capture") {
    const V w{0.5, 1.25, -0.75}, x{1, -2, 3};
    const auto near = [](const auto& a, const auto& b) {
        CHECK(a.size() == b.size());
        for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::fabs(a.flat(i) - b.flat(i)) <= 1e-12 * (1 + std::fabs(b.flat(i))));
    };
    // y + y³ Σ w² = Σ w x, in a few steps of Newton's method.
    const auto solve = [](auto norm, auto right) {
        return dyad::fori_loop(30, [=](auto, auto y) { return y - (y + y * y * y * norm - right) / (1 + 3 * y * y * norm); }, 0 * right);
    };
    const auto captured = [=](auto v, auto u) {
        return dyad::implicit_root([=](auto y) { return y + y * y * y * sum(square(v)) - sum(v * u); }, [=] { return solve(sum(square(v)), sum(v * u)); })();
    };
    const auto passed = [=](auto v, auto u) {
        return dyad::implicit_root([](auto y, auto norm, auto right) { return y + y * y * y * norm - right; }, solve)(sum(square(v)), sum(v * u));
    };
    const auto mine = dyad::grad(captured)(w, x), theirs = dyad::grad(passed)(w, x);
    near(std::get<0>(mine), std::get<0>(theirs));
    near(std::get<1>(mine), std::get<1>(theirs));
    near(dyad::hessian<0>(captured)(w, x), dyad::hessian<0>(passed)(w, x));
    CHECK(dyad::jvp<0>(captured)(std::tuple{w, x}, x).second == doctest::Approx(dyad::jvp<0>(passed)(std::tuple{w, x}, x).second).epsilon(1e-12));
    const auto by_element = [](auto v, auto a) { return sum(dyad::map([=](auto e) { return rooted(e * e, a); }, v)); }; // Σ |v| √a
    near(dyad::grad<0>(by_element)(w, 4.0), V{2, 2, -2});
    CHECK(dyad::grad<1>(by_element)(w, 4.0) == doctest::Approx(2.5 / 4).epsilon(1e-13));
    const auto by_row = [](auto v, auto a) { return sum(dyad::vmap([=](auto e) { return rooted(e * e, a); })(v)); };
    near(dyad::grad<0>(by_row)(w, 4.0), V{2, 2, -2});
    const auto of_scan = [](auto v, auto a) { return rooted(sum(dyad::scan([](auto s, auto e) { return std::pair{s * e + exp(s), s * e}; }, 0.5, v).second) + 9, a); };
    const auto known = [](auto v, auto a) { return sqrt((sum(dyad::scan([](auto s, auto e) { return std::pair{s * e + exp(s), s * e}; }, 0.5, v).second) + 9) * a); };
    near(dyad::grad<0>(of_scan)(w, 4.0), dyad::grad<0>(known)(w, 4.0));
    CHECK(kernel(dyad::grad<0>(rooted))(V{2, 8}, V{8, 2}) == V{1, 0.25});
    // Data by a rule that joins elements, and is not linear: no other mode has a derivative by it.
    const auto of_data = [](auto v, auto a) {
        return dyad::implicit_root([=](auto y, auto b) {
            const auto u = dyad::custom_jvp([](auto p) { return p * p; }, [](auto p, auto, auto t) { return p * t * t / sum(t); })(v);
            return y * y - sum(u) * b;
        }, [=](auto b) { return sqrt(sum(v * v) * b); })(a);
    };
    CHECK(dyad::grad<1>(of_data)(w, 2.0) == doctest::Approx(0.5 * std::sqrt((0.25 + 1.5625 + 0.5625) / 2)).epsilon(1e-14));
}
