// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include <dyad/core.hpp>
#include <dyad/graph/check.hpp>

#include "slope.hpp"

namespace {

using dyad_test::slope;
using dyad::cos, dyad::exp, dyad::log, dyad::sin, dyad::sqrt, dyad::abs;

// Each construct and the same in plain loops.
inline constexpr auto recurrence = [](auto x, auto n) {
    return dyad::fori_loop(n, [&](auto i, auto s) { return s * x + sin(s) / (i + 1); }, x);
};
template <int N>
inline constexpr auto unrolled_recurrence = [](auto x) {
    auto s = x * 1;
    for (int i = 0; i < N; ++i) s = s * x + sin(s) / (i + 1);
    return s;
};

template <int N>
void check_against_unrolled() {
    constexpr auto f = unrolled_recurrence<N>;
    for (const double x : {0.7, -1.3, 0.0, 2.1}) {
        CAPTURE(N);
        CAPTURE(x);
        const auto [value, gradient] = dyad::value_and_grad<0>(recurrence)(x, N);
        CHECK(value == doctest::Approx(f(x)).epsilon(1e-14));
        CHECK(gradient == doctest::Approx(dyad::grad(f)(x)).epsilon(1e-13));
        CHECK(dyad::hessian<0>(recurrence)(x, N) == doctest::Approx(dyad::hessian(f)(x)).epsilon(1e-12));
        const auto by_x = [](auto y) { return recurrence(y, N); };
        CHECK(dyad::derivative<3>(by_x)(x) == doctest::Approx(dyad::derivative<3>(f)(x)).epsilon(1e-11));
        CHECK(dyad::jvp(by_x)(x, 2.5).second == doctest::Approx(2.5 * dyad::grad(f)(x)).epsilon(1e-13));
        CHECK(dyad::hvp(by_x)(x, 2.5) == doctest::Approx(2.5 * dyad::hessian(f)(x)).epsilon(1e-12));
        const auto [again, pullback] = dyad::vjp(by_x)(x);
        CHECK(again == value);
        CHECK(pullback(-3.0) == doctest::Approx(-3 * gradient).epsilon(1e-13));
        CHECK(pullback(2.0) == doctest::Approx(2 * gradient).epsilon(1e-13));
    }
}

} // namespace

// At compile time, history and all.
static_assert(dyad::value_and_grad([](auto x) { return dyad::fori_loop(3, [&](auto, auto s) { return s * x; }, 1.0); })(2.0) ==
              std::pair{8.0, 12.0});
static_assert(dyad::derivative<2>([](auto x) { return dyad::fori_loop(4, [](auto, auto s) { return s * s; }, x); })(1.0) == 240.0);
static_assert(dyad::grad([](auto x) { return dyad::cond(x > 1, [](auto y) { return y * y; }, [](auto y) { return 3 * y; }, x); })(4.0) == 8.0);
static_assert(dyad::fori_loop(5, [](auto i, auto s) { return s + i; }, 0) == 10);

TEST_CASE("a loop is its rounds, one after the other") {
    check_against_unrolled<0>();
    check_against_unrolled<1>();
    check_against_unrolled<2>();
    check_against_unrolled<7>();
}

TEST_CASE("the number of rounds is a number of the program") {
    const auto f = [](auto x) { return dyad::fori_loop(100000, [&](auto, auto s) { return s + x * 1e-5; }, 0 * x); };
    CHECK(f(2.0) == doctest::Approx(2.0));
    CHECK(dyad::grad(f)(2.0) == doctest::Approx(1.0));
    CHECK_THROWS_WITH_AS(dyad::grad<0>(recurrence)(1.0, -3), doctest::Contains("number of rounds is -3"), dyad::value_error);
    CHECK_THROWS_AS(recurrence(1.0, -1), dyad::value_error);
    const auto real_rounds = [](auto x, auto n) { return dyad::fori_loop(n, [&](auto, auto s) { return s * x; }, x); };
    CHECK(dyad::grad<0>(real_rounds)(2.0, 3.0) == 32.0);
    CHECK_THROWS_AS(dyad::grad<0>(real_rounds)(2.0, 2.5), dyad::value_error);
    CHECK_THROWS_WITH_AS(dyad::grad<0>(real_rounds)(2.0, NAN), "[dyad] fori_loop: the number of rounds is nan; it must be a whole number and not negative",
                         dyad::value_error);
    CHECK_THROWS_WITH_AS(dyad::grad<0>(real_rounds)(2.0, INFINITY), doctest::Contains("the number of rounds is inf; there, the numbers of rounds are less than"), dyad::value_error);
}

TEST_CASE("what goes round may be a tuple, an array, a condition") {
    const auto f = [](auto x, auto v, auto n) { // an oscillator, and whether it has ever been below zero
        auto [a, b, below] = dyad::fori_loop(
            n,
            [&](auto, auto s) {
                auto [p, q, was] = s;
                auto next = p + 0.1 * q;
                return std::tuple{next, q - 0.1 * next, was || next < 0};
            },
            std::tuple{x, v, x < 0});
        return dyad::where(below, a * b, a + b * b);
    };
    for (const int n : {0, 3, 40}) {
        const auto value = [&](double x, double v) {
            double a = x, b = v;
            bool below = x < 0;
            for (int i = 0; i < n; ++i) a += 0.1 * b, b -= 0.1 * a, below = below || a < 0;
            return below ? a * b : a + b * b;
        };
        const auto [dx, dv] = dyad::grad<0, 1>(f)(0.8, -0.4, n);
        CHECK(dx == doctest::Approx(slope([&](double x) { return value(x, -0.4); }, 0.8)).epsilon(1e-8));
        CHECK(dv == doctest::Approx(slope([&](double v) { return value(0.8, v); }, -0.4)).epsilon(1e-8));
    }
    const auto g = [](auto x) {
        return dyad::fori_loop(5, [](auto i, auto s) { return std::array{s[1], s[2] * s[0], s[0] + i}; }, std::array{x, x * x, 2 * x})[1];
    };
    CHECK(dyad::grad(g)(1.3) == doctest::Approx(slope(g, 1.3)).epsilon(1e-8));
    const auto pair = [](auto x) { return dyad::fori_loop(2, [](auto, auto s) { return std::array{s[1], s[0] * s[1]}; }, x); };
    const auto J = dyad::jacobian(pair)(std::array{2.0, 3.0}); // (a b, a b²)
    CHECK(J == std::array{std::array{3.0, 2.0}, std::array{9.0, 12.0}});
}

TEST_CASE("loops nest, and inner counts may depend on the outer index") {
    const auto f = [](auto x) {
        return dyad::fori_loop(
            4, [&](auto i, auto s) { return s + dyad::fori_loop(i, [&](auto j, auto t) { return t * cos(x) + s / (j + 1); }, x * s); }, x);
    };
    const auto plain = [](double x) {
        double s = x;
        for (int i = 0; i < 4; ++i) {
            double t = x * s;
            for (int j = 0; j < i; ++j) t = t * std::cos(x) + s / (j + 1);
            s += t;
        }
        return s;
    };
    for (const double x : {0.3, 1.1, -0.6}) {
        CHECK(dyad::value_and_grad(f)(x).first == doctest::Approx(plain(x)).epsilon(1e-14));
        CHECK(dyad::grad(f)(x) == doctest::Approx(slope(plain, x)).epsilon(1e-9));
        CHECK(dyad::hessian(f)(x) == doctest::Approx(slope([&](double y) { return dyad::grad(f)(y); }, x)).epsilon(1e-8));
        CHECK(dyad::derivative<3>(f)(x) == doctest::Approx(slope([&](double y) { return dyad::hessian(f)(y); }, x)).epsilon(1e-8));
    }
}

TEST_CASE("a while loop stops where the data say") {
    const auto root = [](auto x) { // Newton
        return dyad::while_loop([&](auto y) { return abs(y * y - x) > 1e-14 * x; }, [&](auto y) { return (y + x / y) / 2; }, x);
    };
    for (const double x : {2.0, 9.0, 1e6}) {
        CHECK(dyad::value_and_grad(root)(x).first == doctest::Approx(std::sqrt(x)).epsilon(1e-14));
        CHECK(dyad::grad(root)(x) * std::sqrt(x) == doctest::Approx(0.5).epsilon(1e-12));
        CHECK(dyad::hessian(root)(x) * x * std::sqrt(x) == doctest::Approx(-0.25).epsilon(1e-10));
    }
    const auto growth = [](auto x, auto y) { // more rounds than the memory for them has at first
        return std::get<0>(dyad::while_loop(
            [](auto s) { return std::get<1>(s) < 1000; },
            [&](auto s) { return std::tuple{std::get<0>(s) + sin(std::get<0>(s)) * x * 0.01, std::get<1>(s) + 1}; }, std::tuple{y, 0}));
    };
    const auto [by_x, by_y] = dyad::grad(growth)(0.9, 0.2);
    CHECK(by_x == doctest::Approx(slope([&](double x) { return growth(x, 0.2); }, 0.9)).epsilon(1e-8));
    CHECK(by_y == doctest::Approx(slope([&](double y) { return growth(0.9, y); }, 0.2)).epsilon(1e-8));
    const auto never = [](auto x) { return dyad::while_loop([](auto y) { return y < 0; }, [](auto y) { return y * y; }, 3 * x); };
    CHECK(dyad::value_and_grad(never)(2.0) == std::pair{6.0, 3.0});
}

TEST_CASE("only the chosen branch runs") {
    const auto f = [](auto x) {
        return dyad::cond(x > 0, [&](auto y) { return log(y) * x; }, [](auto y) { return y * y; }, x);
    };
    CHECK(dyad::value_and_grad(f)(2.0).second == doctest::Approx(std::log(2.0) + 1));
    CHECK(dyad::value_and_grad(f)(-2.0) == std::pair{4.0, -4.0});
    CHECK(dyad::hessian(f)(2.0) == doctest::Approx(0.5));
    CHECK(dyad::hessian(f)(-2.0) == 2.0);
    CHECK(dyad::jvp(f)(-2.0, 0.5).second == -2.0);
    const auto endless = [](auto x) { // the other branch would never return
        return dyad::cond(x > 1, [](auto y) { return dyad::while_loop([](auto s) { return s > 0; }, [](auto s) { return s + 1; }, y); },
                          [](auto y) { return 3 * y; }, x);
    };
    CHECK(dyad::value_and_grad(endless)(0.5) == std::pair{1.5, 3.0});
    const auto in_loop = [](auto x) {
        return dyad::fori_loop(6, [&](auto i, auto s) {
            return dyad::cond(s > 1, [&](auto t) { return t / (2 + x); }, [&](auto t) { return t * t + x + i * 0.1; }, s);
        }, x);
    };
    CHECK(dyad::grad(in_loop)(0.7) == doctest::Approx(slope(in_loop, 0.7)).epsilon(1e-8));
    CHECK(dyad::hessian(in_loop)(0.7) == doctest::Approx(slope([&](double x) { return dyad::grad(in_loop)(x); }, 0.7)).epsilon(1e-7));
    CHECK(dyad::cond(true, [](int i) { return i; }, [](int) { return 0.5; }, 3) == 3.0);
}

TEST_CASE("bodies differentiate, and are differentiated") {
    const auto f = [](auto x) { // gradient descent on (y² - x)², inside a loop
        return dyad::fori_loop(3, [&](auto, auto y) {
            return y - 0.05 * dyad::grad([&](auto z) { return dyad::square(z * z - x); })(y);
        }, x);
    };
    const auto plain = [](double x) {
        double y = x;
        for (int i = 0; i < 3; ++i) y -= 0.05 * 4 * y * (y * y - x);
        return y;
    };
    CHECK(dyad::value_and_grad(f)(1.2).first == doctest::Approx(plain(1.2)).epsilon(1e-14));
    CHECK(dyad::grad(f)(1.2) == doctest::Approx(slope(plain, 1.2)).epsilon(1e-9));
    const auto outer = [](auto x) { return x * dyad::grad([](auto y) { return recurrence(y, 3); })(x); };
    CHECK(dyad::grad(outer)(0.6) == doctest::Approx(slope(outer, 0.6)).epsilon(1e-8));
}

TEST_CASE("float stays float") {
    const auto f = [](auto x, auto n) { return dyad::fori_loop(n, [&](auto i, auto s) { return s * x + i; }, x); };
    const auto [v, d] = dyad::value_and_grad<0>(f)(0.5f, 3);
    static_assert(std::is_same_v<decltype(v), const float> && std::is_same_v<decltype(d), const float>);
    CHECK(v == 0.0625f + 0.5f + 2.0f);
    CHECK(d == 4 * 0.125f + 1.0f);
}

TEST_CASE("what no result needs does not go round") {
    const auto f = [](auto x) {
        return std::get<0>(dyad::fori_loop(3, [](auto, auto s) { return std::tuple{2 * std::get<0>(s), exp(std::get<1>(s))}; }, std::tuple{x, x}));
    };
    using source = dyad::traced_program<std::remove_cvref_t<decltype(f)>, dyad::policy::fast, double>;
    static_assert(dyad::lowered_program<source, dyad::policy::fast>::info<0>.values == 1);
    CHECK(dyad::value_and_grad(f)(1.5) == std::pair{12.0, 8.0});
}

TEST_CASE("functions that capture numbers, and eager expressions") {
    for (const double k : {0.5, 1.25}) {
        const int n = k < 1 ? 4 : 0;
        const auto f = [=](auto x, auto y) { return dyad::fori_loop(n, [&](auto i, auto s) { return s * k + sin(s * x) / (i + 1); }, y); };
        const auto [dx, dy] = dyad::grad(f)(0.7, 0.3);
        CHECK(dx == doctest::Approx(slope([&](double x) { return f(x, 0.3); }, 0.7)).epsilon(1e-8));
        CHECK(dy == doctest::Approx(slope([&](double y) { return f(0.7, y); }, 0.3)).epsilon(1e-8));
        const auto root = [=](auto x) {
            return dyad::while_loop([&](auto y) { return abs(y * y - k * x) > 1e-13; }, [&](auto y) { return (y + k * x / y) / 2; }, x);
        };
        CHECK(dyad::grad(root)(2.0) == doctest::Approx(0.5 * std::sqrt(k / 2)).epsilon(1e-12));
        const auto chosen = [=](auto x) { return dyad::cond(x > k, [&](auto y) { return y * y * k; }, [](auto y) { return 3 * y; }, x); };
        CHECK(dyad::grad(chosen)(2.0) == 4 * k);
        CHECK(dyad::grad(chosen)(0.1) == 3);
        const auto two = [=](auto x) {
            const auto [p, q] = dyad::fori_loop(
                3, [&](auto, auto s) { return std::tuple{std::get<0>(s) + k * std::get<1>(s), std::get<1>(s) * x}; }, std::tuple{x, 1.0});
            return p * q;
        };
        CHECK(dyad::grad(two)(1.3) == doctest::Approx(slope(two, 1.3)).epsilon(1e-8));
        CHECK(dyad::hessian(two)(1.3) == doctest::Approx(slope([&](double x) { return dyad::grad(two)(x); }, 1.3)).epsilon(1e-8));
    }
    dyad::var<"x"> x{2.0};
    const auto z = dyad::fori_loop(3, [&](auto, auto s) { return s * x; }, x);
    CHECK(z.value() == 16);
    CHECK(dyad::diff(z, x).value() == 32);
    CHECK(dyad::diff<2>(z, x).value() == 48);
}

TEST_CASE("graphs with loops are well formed after every pass") {
    const auto f = [](auto x, auto y) {
        return dyad::fori_loop(4, [&](auto i, auto s) {
            return dyad::cond(s > y, [&](auto t) { return dyad::while_loop([&](auto u) { return u > x; }, [](auto u) { return u / 2; }, t); },
                              [&](auto t) { return t * sin(x) + i; }, s);
        }, x);
    };
    using source = dyad::traced_program<std::remove_cvref_t<decltype(f)>, dyad::policy::fast, double, double>;
    CHECK(dyad::check(source::graph) == "");
    const dyad::graph gradient = dyad::differentiate(source::graph, dyad::transform::gradient, {0U, 1U}, dyad::policy::fast, &dyad::no_array_rules,
                                                     {}, dyad::region_rules_with<dyad::every_rule>);
    CHECK(dyad::check(gradient) == "");
    CHECK(dyad::check(dyad::resolved(gradient)) == "");
    const auto [dx, dy] = dyad::grad(f)(0.7, 0.4);
    CHECK(dx == doctest::Approx(slope([&](double x) { return f(x, 0.4); }, 0.7)).epsilon(1e-7));
    CHECK(dy == doctest::Approx(slope([&](double y) { return f(0.7, y); }, 0.4)).epsilon(1e-7));
}

TEST_CASE("what goes round is differentiated also where no body reads it") {
    static constexpr auto constant = [](auto x) { return dyad::fori_loop(3, [&](auto, auto) { return x * x; }, x); };
    CHECK(dyad::value_and_grad(constant)(3.0) == std::pair{9.0, 6.0});
    CHECK(dyad::derivative<2>(constant)(3.0) == 2);
    CHECK(dyad::jvp(constant)(3.0, -2.0).second == -12);
    // The last increment of x, x², x³ ...: x^(n+1) - x^n.
    static constexpr auto increment = [](auto x, auto n) {
        return std::get<1>(dyad::fori_loop(n, [&](auto, auto s) {
            auto next = std::get<0>(s) * x;
            return std::tuple{next, next - std::get<0>(s)};
        }, std::tuple{x, 0.0}));
    };
    CHECK(dyad::value_and_grad<0>(increment)(3.0, 2) == std::pair{18.0, 21.0});
    CHECK(dyad::hessian<0>(increment)(3.0, 2) == 16);
    CHECK(dyad::jvp([](auto x) { return increment(x, 2); })(3.0, 1.0).second == 21);
    const auto before_last = [](auto x) {
        return std::get<1>(dyad::while_loop([](auto s) { return std::get<0>(s) < 100; }, [&](auto s) { return std::tuple{std::get<0>(s) * x, std::get<0>(s)}; },
                                            std::tuple{x, x}));
    };
    CHECK(dyad::value_and_grad(before_last)(3.0) == std::pair{81.0, 108.0});
    CHECK(dyad::jvp(before_last)(3.0, 1.0).second == 108);
    const auto stored = [](auto x) {
        return std::get<1>(dyad::fori_loop(9, [&](auto, auto s) { return std::tuple{std::get<0>(s) * x, 3 * std::get<0>(s)}; }, std::tuple{x, x}, dyad::store_sqrt));
    };
    CHECK(dyad::grad(stored)(1.5) == doctest::Approx(27 * std::pow(1.5, 8)));
    // Round an outer derivative, and with a captured number.
    CHECK(dyad::grad([](auto x) { return 2 * dyad::grad(constant)(x); })(3.0) == 4);
    double scale = 2;
    CHECK(dyad::grad([scale](auto x) { return dyad::fori_loop(3, [&](auto, auto) { return scale * x * x; }, x); })(3.0) == 12);
}
TEST_CASE("lambdas that compilers call by one name: templates of one function, and what stands in one macro") {
    double c = 2;
    const auto body = []<class T>(T s) { return s * s; };
    const auto f = [c, body]<class T>(T p) { return dyad::while_loop([](auto s) { return s < 10; }, body, p * c) * p; };
    const auto [value, slope] = dyad::value_and_grad(f)(1.0);
    CHECK(value == 16);
    CHECK(slope == 80);
}
TEST_CASE("a Hessian by two arguments through nested loops: each column has its own rounds") {
    constexpr auto f = [](auto x, auto y) { // x³ y
        return dyad::fori_loop(2, [&](auto, auto p) { return dyad::fori_loop(1, [&](auto, auto t) { return t * x; }, p); }, x * y);
    };
    const auto h = dyad::hessian(f)(0.7, 0.4);
    CHECK(h[0][0] == doctest::Approx(6 * 0.7 * 0.4));
    CHECK(h[0][1] == doctest::Approx(3 * 0.7 * 0.7));
    CHECK(h[1][0] == h[0][1]);
    CHECK(h[1][1] == 0);
    constexpr auto g = [](auto x, auto y) { // x exp(2 y) y²
        return dyad::fori_loop(2, [&](auto, auto p) { return dyad::fori_loop(1, [&](auto, auto t) { return t * y * exp(y); }, p); }, x);
    };
    const auto k = dyad::hessian(g)(0.7, 0.4);
    CHECK(k[0][0] == 0);
    CHECK(k[0][1] == doctest::Approx(std::exp(0.8) * (2 * 0.4 + 2 * 0.16)));
    CHECK(k[1][1] == doctest::Approx(0.7 * std::exp(0.8) * (2 + 8 * 0.4 + 4 * 0.16)));
}
TEST_CASE("a state that no result needs has no part in a gradient, even where it overflows") {
    constexpr auto f = [](auto x, auto y) { // 3 x y⁴
        const auto end = dyad::fori_loop(4, [&](auto, auto s) {
            const auto [a, b, c] = s;
            return std::tuple{a * y, exp(b) * c, exp(c) + b};
        }, std::tuple{x, x, y});
        return 3 * std::get<0>(end);
    };
    const auto [by_x, by_y] = dyad::grad(f)(0.9, 1.1);
    CHECK(by_x == doctest::Approx(3 * std::pow(1.1, 4)));
    CHECK(by_y == doctest::Approx(12 * 0.9 * std::pow(1.1, 3)));
    const auto [u, v] = dyad::hvp(f)(std::tuple{0.9, 1.1}, std::tuple{1.0, 1.0});
    CHECK(u == doctest::Approx(12 * std::pow(1.1, 3)));
    CHECK(v == doctest::Approx(12 * std::pow(1.1, 3) + 36 * 0.9 * 1.21));
}
TEST_CASE("more rounds than numbers count are refused") {
    const auto last = [](auto x, auto n) { return dyad::fori_loop(n, [x](auto i, auto s) { return where(i == 16'777'216, x, s); }, 0 * x); };
    CHECK_THROWS_WITH_AS(dyad::grad<0>(last)(1.0F, 16'777'217), doctest::Contains("less than 16777216"), dyad::value_error);
    CHECK(dyad::grad<0>(last)(1.0, 16'777'217) == 1);
    CHECK_THROWS_AS(static_cast<void>(dyad::fori_loop(3'000'000'000LL, [](auto, auto s) { return s; }, 1.0)), dyad::value_error);
    CHECK_THROWS_AS(dyad::grad<0>(last)(1.0, 1LL << 61), dyad::value_error);
}
TEST_CASE("remainders of the number of a round, and of whole arguments") {
    const auto alternating = [](auto x, auto n) { return dyad::fori_loop(n, [&](auto i, auto s) { return s + dyad::where(i % 2 == 0, x, -2 * x) * (n % 3); }, 0 * x); };
    CHECK(alternating(1.5, 5) == 2 * (3 * 1.5 - 2 * 3.0));
    CHECK(dyad::grad<0>(alternating)(1.5, 5) == 2 * (3.0 - 4.0));
    CHECK(dyad::value_and_grad<0>(alternating)(1.5, 6).first == 0);
}
TEST_CASE("what map and scan keep has the type of the results") {
    const auto sines = dyad::map([](auto x) { return dyad::sin(x); }, std::vector<int>{1, 2, 3});
    CHECK(sines == std::vector<double>{std::sin(1.0), std::sin(2.0), std::sin(3.0)});
    const auto wide = dyad::map([](auto x) { return x * 0.1; }, std::vector<float>{1, 2});
    CHECK(wide[0] == 0.1);
}
TEST_CASE("constants beyond whole numbers") {
    using namespace dyad::literals;
    CHECK(dyad::grad([](auto x) { return x * 3e9_c; })(1.0) == 3e9);
    CHECK(dyad::grad([](auto x) { return x * 2147483648_c; })(1.0) == 2147483648.0);
}
TEST_CASE("the text of a graph with a loop or a branch") {
    constexpr auto loop = [](auto x, auto n) { return dyad::fori_loop(n, [&](auto i, auto s) { return s * x + i; }, x); };
    CHECK(dyad::print(dyad::graph_of<double, int>(loop)) == "graph(2 inputs)\n"
                                                            "  n2: int = parameter\n"
                                                            "  n3: f64 = parameter\n"
                                                            "  n4: f64 = mul x0 n3\n"
                                                            "  n5: f64 = add n2 n4\n"
                                                            "  n6: weak = nothing[0]\n"
                                                            "  n7: f64 = carry[1] n6 x0 n5\n"
                                                            "  n8: weak = loop[0] x1 n7\n"
                                                            "  n9: f64 = result[0] n8\n"
                                                            "  return n9\n");
    constexpr auto branch = [](auto x) { return dyad::cond(x > 0, [](auto y) { return sin(y); }, [](auto y) { return -y; }, x); };
    CHECK(dyad::print(dyad::graph_of<double>(branch)) == "graph(1 input)\n"
                                                         "  n2: bool = less 0 x0\n"
                                                         "  n3: weak = nothing[0]\n"
                                                         "  n4: f64 = parameter\n"
                                                         "  n5: f64 = bind[0] n3 x0\n"
                                                         "  n6: f64 = sin n4\n"
                                                         "  n7: f64 = neg n4\n"
                                                         "  n8: f64 = choice[0] n3 n6 n7\n"
                                                         "  n9: weak = branch[0] n2 n5 n8\n"
                                                         "  n10: f64 = result[0] n9\n"
                                                         "  return n10\n");
}
