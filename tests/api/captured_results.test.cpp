// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Loops whose bodies capture the results of other loops and branches, beside what those are computed from; and gradients of
// gradients through loops in loops. Against closed forms.
#include <doctest/doctest.h>

#include <cmath>
#include <tuple>

#include <dyad/core.hpp>

namespace {

// x^5 + x^3 + x
inline constexpr auto quintic = [](auto x) {
    auto r = dyad::fori_loop(1, [&](auto, auto s) { return s * x; }, x);
    return dyad::fori_loop(2, [&](auto, auto s) { return s * r + x; }, x);
};
// y x^4 + x^3 + x for positive x
inline constexpr auto branched = [](auto x, auto y) {
    auto r = dyad::cond(x > 0, [](auto s) { return s * s; }, [](auto s) { return s; }, x);
    return dyad::fori_loop(2, [&](auto, auto s) { return s * r + x; }, y);
};
// sin(sin(x r) + x) r ..., where r = 2 y x^3 comes from a loop by both
inline constexpr auto chained = [](auto x, auto y) {
    auto r = dyad::fori_loop(3, [&](auto, auto s) { return s * x; }, 2 * y);
    return dyad::fori_loop(2, [&](auto, auto s) { return dyad::sin(s * r) + x; }, x);
};
template <class T>
T plain_chained(T x, T y) {
    const T r = 2 * y * x * x * x;
    T s = x;
    for (int i = 0; i < 2; ++i) s = sin(s * r) + x;
    return s;
}

// x y^4
inline constexpr auto nested = [](auto x, auto y) {
    return dyad::fori_loop(1, [&](auto, auto s) {
        return dyad::fori_loop(4, [&](auto, auto t) { return t * s; }, x); }, y);
};
// (x y^n) (x + n y)
template <class Stored>
inline constexpr auto stored = [](auto x, auto y, auto n) {
    auto [p, q] = dyad::fori_loop(n, [&](auto, auto s) { auto [a, b] = s; return std::tuple{a * y, b + y}; }, std::tuple{x, x}, Stored{});
    return p * q;
};
template <class Stored>
inline constexpr auto stored_slope = [](auto x, auto y, auto n) { return std::get<0>(dyad::grad<0, 1>(stored<Stored>)(x, y, n)); };

// What is the same in every round of the loop around stands in a region inside of it, beside what goes round there.
inline constexpr auto same_in_branch = [](auto x, auto y) { // x^4 y for positive y
    return dyad::fori_loop(2, [&](auto, auto s) {
        return dyad::cond(s > 0, [](auto a, auto b) { return a * b; }, [](auto a, auto b) { return a + b; }, x * x, s);
    }, y);
};
inline constexpr auto same_in_state = [](auto x, auto y) { // y sin(x)^2
    return dyad::fori_loop(2, [&](auto, auto t) {
        auto [a, b] = dyad::fori_loop(2, [&](auto, auto) { return std::tuple{dyad::sin(x), t}; }, std::tuple{y, y});
        return a * b;
    }, y);
};
inline constexpr auto same_in_rounds = [](auto x, auto y) { // 27 y^2 sin(x): three rounds, and none
    return dyad::fori_loop(2, [&](auto, auto t) {
        auto [a, b] = dyad::while_loop([](auto s) { return std::get<1>(s) < 10; }, [&](auto s) { return std::tuple{dyad::sin(x), 3 * std::get<1>(s)}; }, std::tuple{y, t});
        return a * b;
    }, y);
};
inline constexpr auto same_beside_unused = [](auto x, auto y) { // sin(x)
    return dyad::fori_loop(2, [&](auto, auto s) {
        return dyad::fori_loop(2, [&](auto, auto t) {
            return std::get<0>(dyad::fori_loop(2, [&](auto, auto) { return std::tuple{dyad::sin(x), s * t}; }, std::tuple{s, y}));
        }, s);
    }, y);
};
inline constexpr auto same_in_rule = [](auto x, auto y) { // (sin(x)^2 + sin(x) s) after s, twice
    return dyad::fori_loop(2, [&](auto, auto s) {
        const auto f = dyad::checkpoint([](auto a, auto b) { return std::tuple{a * a, a * b}; });
        const auto r = f(dyad::sin(x), s);
        return std::get<0>(r) + std::get<1>(r);
    }, y);
};
/// Whether the derivatives by both arguments, once and twice, in each mode, are those of `expected`.
template <class F, class G>
bool derives_as(F f, G expected, double x, double y) {
    const auto close = [](double a, double b) { return std::abs(a - b) <= 1e-12 * (1 + std::abs(b)); };
    const auto [dx, dy] = dyad::grad(expected)(x, y);
    const auto [rx, ry] = dyad::grad(f)(x, y);
    const double jx = dyad::jvp(f)(std::tuple{x, y}, std::tuple{1.0, 0.0}).second, jy = dyad::jvp(f)(std::tuple{x, y}, std::tuple{0.0, 1.0}).second;
    const auto H = dyad::hessian(f)(x, y), E = dyad::hessian(expected)(x, y);
    const auto P = dyad::hvp(f)(std::tuple{x, y}, std::tuple{1.0, 0.5});
    return close(rx, dx) && close(ry, dy) && close(jx, dx) && close(jy, dy) && close(H[0][0], E[0][0]) && close(H[0][1], E[0][1]) && close(H[1][1], E[1][1]) &&
           close(std::get<0>(P), E[0][0] + 0.5 * E[0][1]) && close(std::get<1>(P), E[0][1] + 0.5 * E[1][1]);
}

} // namespace

TEST_CASE("what is the same in every round keeps its derivative in the regions inside") {
    CHECK(derives_as(same_in_branch, [](auto x, auto y) { return x * x * x * x * y; }, 3.0, 2.0));
    CHECK(derives_as(same_in_state, [](auto x, auto y) { return y * sin(x) * sin(x); }, -1.1, 0.45));
    CHECK(derives_as(same_in_rounds, [](auto x, auto y) { return 27 * y * y * sin(x); }, 1.1, 0.45));
    CHECK(derives_as(same_beside_unused, [](auto x, auto y) { return sin(x) + 0 * y; }, -1.1, 0.45));
    CHECK(derives_as(same_in_rule, [](auto x, auto y) {
        const auto s = sin(x);
        return s * s + s * (s * s + s * y);
    }, -1.1, 0.45));
}

TEST_CASE("a body captures a loop's result and what that is computed from") {
    CHECK(dyad::grad(quintic)(2.0) == doctest::Approx(93));
    CHECK(dyad::vjp(quintic)(2.0).second(1.0) == doctest::Approx(93));
    CHECK(dyad::jvp(quintic)(2.0, 1.0).second == doctest::Approx(93));
    CHECK(dyad::derivative<2>(quintic)(2.0) == doctest::Approx(20 * 8 + 12));
    CHECK(dyad::grad(dyad::grad(quintic))(2.0) == doctest::Approx(20 * 8 + 12));
    CHECK(dyad::hvp(quintic)(2.0, 0.5) == doctest::Approx(0.5 * (20 * 8 + 12)));
}
TEST_CASE("a body captures a branch's result and what that is computed from") {
    const auto [by_x, by_y] = dyad::grad(branched)(2.0, 3.0);
    CHECK(by_x == doctest::Approx(4 * 3 * 8 + 12 + 1));
    CHECK(by_y == doctest::Approx(16));
    CHECK(dyad::jvp(branched)(std::tuple{2.0, 3.0}, std::tuple{1.0, 2.0}).second == doctest::Approx(109 + 32));
    const auto h = dyad::hessian(branched)(2.0, 3.0);
    CHECK(h[0][0] == doctest::Approx(12 * 3 * 4 + 6 * 2));
    CHECK(h[0][1] == doctest::Approx(4 * 8));
    CHECK(h[1][1] == doctest::Approx(0));
}
TEST_CASE("a loop by another loop's result, as differences see it") {
    const double x = 0.9, y = 0.6, h = 1e-5;
    const auto slope = [&](double dx, double dy) {
        return (plain_chained(x + h * dx, y + h * dy) - plain_chained(x - h * dx, y - h * dy)) / (2 * h);
    };
    const auto [by_x, by_y] = dyad::grad(chained)(x, y);
    CHECK(by_x == doctest::Approx(slope(1, 0)).epsilon(1e-8));
    CHECK(by_y == doctest::Approx(slope(0, 1)).epsilon(1e-8));
    CHECK(dyad::jvp(chained)(std::tuple{x, y}, std::tuple{0.0, 1.0}).second == doctest::Approx(slope(0, 1)).epsilon(1e-8));
    const auto second = dyad::hvp(chained)(std::tuple{x, y}, std::tuple{1.0, -0.5});
    const auto up = dyad::grad(chained)(x + h, y - 0.5 * h), down = dyad::grad(chained)(x - h, y + 0.5 * h);
    CHECK(std::get<0>(second) == doctest::Approx((std::get<0>(up) - std::get<0>(down)) / (2 * h)).epsilon(1e-7));
    CHECK(std::get<1>(second) == doctest::Approx((std::get<1>(up) - std::get<1>(down)) / (2 * h)).epsilon(1e-7));
}
TEST_CASE("the Jacobian of a gradient through loops in loops") {
    const auto j = dyad::jacobian(dyad::grad(nested))(0.9, 0.6);
    CHECK(j[0][0] == doctest::Approx(0));
    CHECK(j[0][1] == doctest::Approx(4 * 0.216));
    CHECK(j[1][0] == doctest::Approx(4 * 0.216));
    CHECK(j[1][1] == doctest::Approx(12 * 0.9 * 0.36));
}
TEST_CASE("gradients of gradients through loops with few stored states") {
    const auto check = [](const auto& by_x) {
        const double x = 1.5, y = 0.7;
        for (const int n : {0, 1, 2, 5}) {
            CAPTURE(n);
            const double power = std::pow(y, n), slope = n == 0 ? 0 : n * std::pow(y, n - 1);
            const auto [xx, xy] = dyad::grad<0, 1>(by_x)(x, y, n);
            CHECK(xx == doctest::Approx(2 * power));
            CHECK(xy == doctest::Approx(slope * (2 * x + n * y) + power * n));
        }
    };
    check(stored_slope<decltype(dyad::store_values)>);
    check(stored_slope<decltype(dyad::store_sqrt)>);
    check(stored_slope<decltype(dyad::store_every<2>)>);
    check(stored_slope<decltype(dyad::store_within<64>)>);
}
TEST_CASE("captured variables are one however often they are used, so that long functions that capture compile") {
    // (Of a captured number without a name the last line would hold ten thousand.)
    const double number = 0.7;
    const auto f = [c = dyad::var<"c">(number)](auto x) {
        auto a = c * x;
        auto b = a * a + c;
        auto d = b * sin(b) + a;
        auto e = d * d + b * c;
        auto g = e * cos(e) + d;
        auto h = g * g + e;
        auto i = h * sin(h) + g * c;
        auto j = i * i + h;
        return j * cos(j) + i;
    };
    const auto same = [](auto x, auto c) {
        using std::cos, std::sin;
        auto a = c * x, b = a * a + c, d = b * sin(b) + a, e = d * d + b * c, g = e * cos(e) + d;
        auto h = g * g + e, i = h * sin(h) + g * c, j = i * i + h;
        return j * cos(j) + i;
    };
    const auto [value, slope] = dyad::value_and_grad(f)(0.3);
    CHECK(value == doctest::Approx(same(0.3, number)).epsilon(1e-14));
    CHECK(slope == doctest::Approx(dyad::grad<0>(same)(0.3, number)).epsilon(1e-13));
    CHECK(dyad::derivative<2>(f)(0.3) == doctest::Approx(dyad::hessian<0>(same)(0.3, number)).epsilon(1e-12));
}
#if defined(__clang__) // (g++ refuses it when it compiles)
namespace {

template <class F>
double slope(F f, double at) {
    return dyad::grad([f](auto y) { return f(y); })(at);
}

} // namespace

TEST_CASE("closures of one template, one within the other, are refused where they have one name") {
    const double c = 1;
    const auto inner_slope = [c](auto x) { return c * x * slope([x](auto y) { return x + y; }, 1.0); }; // (the slope by x was once one by y too)
    CHECK_THROWS_AS(slope(inner_slope, 1.0), dyad::value_error);
}
#endif
