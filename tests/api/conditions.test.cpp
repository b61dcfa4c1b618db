// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Comparisons where numbers are wanted, and numbers where conditions are: a comparison is 1 or 0 and has no slope, also as a result.
#include <doctest/doctest.h>

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

#include <dyad/core.hpp>

namespace {

inline constexpr auto above = [](auto x) { return x > 1; };
inline constexpr auto beside = [](auto x) { return std::tuple{x > 1, x * x}; };

} // namespace

static_assert(dyad::jvp(beside)(2.0, 1.0) == std::pair{std::tuple{1.0, 4.0}, std::tuple{0.0, 4.0}});
static_assert(dyad::jvp(above)(2.0, 1.0) == std::pair{1.0, 0.0});
static_assert(dyad::value_and_grad(above)(0.5) == std::pair{0.0, 0.0});
static_assert(dyad::value_and_grad(above)(1.5) == std::pair{1.0, 0.0});

TEST_CASE("a comparison among the results is 1 or 0 and has no slope, in every mode") {
    const auto [value, pullback] = dyad::vjp(beside)(2.0);
    CHECK(value == std::tuple{1.0, 4.0});
    CHECK(pullback(std::tuple{0.0, 1.0}) == 4);
    CHECK(pullback(std::tuple{1.0, 0.0}) == 0);
    const auto J = dyad::jacobian(beside)(2.0);
    CHECK(J[0] == 0);
    CHECK(J[1] == 4);
    const auto crossed = dyad::jacobian([](auto x, auto y) { return std::array{x < y, x > y}; })(2.0, 3.0);
    CHECK(crossed == std::array{std::array{0.0, 0.0}, std::array{0.0, 0.0}});
}
TEST_CASE("what is made of comparisons is 1 or 0 too, also where numbers are captured") {
    const auto both = [](auto x, auto y) { return (x > 1 && y < 2) || !(x < 3); };
    CHECK(dyad::value_and_grad(both)(2.0, 1.0).first == 1);
    CHECK(dyad::value_and_grad(both)(2.0, 3.0).first == 0);
    CHECK(dyad::value_and_grad(both)(3.5, 3.0).first == 1);
    const double limit = 1.5;
    const auto captured = [limit](auto x) { return std::tuple{x > limit, limit * x}; };
    CHECK(dyad::jvp(captured)(2.0, 1.0) == std::pair{std::tuple{1.0, 3.0}, std::tuple{0.0, 1.5}});
    CHECK(dyad::jvp(captured)(1.0, 1.0) == std::pair{std::tuple{0.0, 1.5}, std::tuple{0.0, 1.5}});
}
TEST_CASE("a chosen branch may give a comparison") {
    const auto chosen = [](auto x) { return dyad::cond(x > 0, [](auto y) { return y > 1; }, [](auto y) { return y > -1; }, x); };
    CHECK(dyad::value_and_grad(chosen)(2.0) == std::pair{1.0, 0.0});
    CHECK(dyad::value_and_grad(chosen)(0.5) == std::pair{0.0, 0.0});
    CHECK(dyad::value_and_grad(chosen)(-0.5) == std::pair{1.0, 0.0});
    const auto weighed = [](auto x) { return x * dyad::checkpoint([](auto y) { return y > 1; })(x); };
    CHECK(dyad::value_and_grad(weighed)(2.0) == std::pair{2.0, 1.0});
    CHECK(dyad::value_and_grad(weighed)(0.5) == std::pair{0.0, 0.0});
}
TEST_CASE("where numbers go round, or are chosen, comparisons become numbers") {
    const auto last = [](auto x) { return x * dyad::fori_loop(3, [](auto, auto s) { return s > 1; }, x); };
    CHECK(last(4.0) == 0);
    CHECK(dyad::value_and_grad(last)(4.0) == std::pair{0.0, 0.0});
    const auto counted = [](auto x) { return x * dyad::fori_loop(3, [](auto, auto s) { return s + 1; }, x > 1); };
    CHECK(counted(2.0) == 8);
    CHECK(dyad::value_and_grad(counted)(2.0F) == std::pair{8.0F, 4.0F});
    CHECK(dyad::value_and_grad(counted)(0.5F) == std::pair{1.5F, 3.0F});
    // what is a number in one round is a condition in another
    const auto turned = [](auto x, auto y) {
        return dyad::fori_loop(3, [&](auto, auto s) { return std::tuple{std::get<1>(s) > 2, std::get<1>(s) * x, std::get<0>(s) + std::get<2>(s)}; }, std::tuple{y, x, x > 0});
    };
    CHECK(turned(2.0, 3.0) == std::tuple{1.0, 16.0, 5.0});
    CHECK(dyad::jvp(turned)(std::tuple{2.0, 3.0}, std::tuple{1.0, 1.0}) == std::pair{std::tuple{1.0, 16.0, 5.0}, std::tuple{0.0, 32.0, 1.0}});
    const auto chosen = [](auto x) { return x * dyad::cond(x > 1, [](auto a) { return a > 3; }, [](auto a) { return a; }, x); };
    for (const double x : {4.0, 2.0, 0.5}) {
        const double expected = x > 1 ? (x > 3 ? x : 0) : x * x, slope = x > 1 ? (x > 3 ? 1 : 0) : 2 * x;
        CHECK(chosen(x) == expected);
        CHECK(dyad::value_and_grad(chosen)(x) == std::pair{expected, slope});
    }
}
TEST_CASE("an arm that chooses between constants") {
    const auto chosen = [](auto x) {
        return dyad::cond(x > 1, [](auto a) { return where(a > 2, 1, 3); }, [](auto a) { return a * a; }, x) * x;
    };
    CHECK(dyad::value_and_grad(chosen)(1.5) == std::pair{4.5, 3.0});
    CHECK(dyad::value_and_grad(chosen)(2.5) == std::pair{2.5, 1.0});
    CHECK(dyad::value_and_grad(chosen)(0.5) == std::pair{0.125, 0.75});
    CHECK(dyad::derivative<2>(chosen)(0.5) == 3);
}
TEST_CASE("what comes back to a branch may be wider than it, or have no type of its own yet") {
    const auto priced = [](auto x, auto y, auto w) {
        return dyad::cond(x > y, [&](auto q) { return q * q * x; }, [&](auto q) { return q; }, y) * w;
    };
    const auto [dx, dy, dw] = dyad::grad(priced)(0.75F, 0.5F, 2.0);
    static_assert(std::is_same_v<decltype(dx), const float> && std::is_same_v<decltype(dw), const double>);
    CHECK(dx == 0.5F);
    CHECK(dy == 1.5F);
    CHECK(dw == 0.1875);
    const auto larger = [](auto x, auto y, auto p) {
        return dyad::cond(y > 0.5, [&](auto b) { return b * b * p; }, [&](auto b) { return b * p; }, dyad::max(x, y));
    };
    CHECK(dyad::grad<0>(larger)(1.5, 0.75, 0.25) == 0.75);
    CHECK(dyad::hessian<0>(larger)(1.5, 0.75, 0.25) == 0.5);
    CHECK(dyad::hessian<0>(larger)(0.5, 0.75, 0.25) == 0);
    CHECK(dyad::hvp<0>(larger)(std::tuple{1.5, 0.75, 0.25}, 2.0) == 1);
}
TEST_CASE("a rule gives a comparison a slope: the straight-through estimator") {
    const auto step = dyad::custom_gradient([](auto x) { return x > 1; }, [](auto, auto, auto up) { return up; });
    for (const double x : {0.5, 2.0}) {
        const auto [value, slope] = dyad::value_and_grad([=](auto y) { return 3 * step(y); })(x);
        CHECK(value == (x > 1 ? 3 : 0));
        CHECK(slope == 3);
        CHECK(dyad::jvp([=](auto y) { return 3 * step(y); })(x, 2.0).second == 6);
    }
}
template <class X>
bool is_large(const X& x) {
    return x > 10;
}
TEST_CASE("a comparison of expressions is a bool where one is wanted, a number is none") {
    const dyad::var<"x"> x{3.0};
    const auto square = x * x;
    const bool small = square < 10;
    CHECK(small);
    CHECK_FALSE(is_large(square));
    CHECK(is_large(2 * square));
    static_assert(std::is_convertible_v<decltype(square < 10), bool>);
    static_assert(!std::is_convertible_v<decltype(square), bool>);
    CHECK(dyad::diff(where(square < 10, square, x), x).value() == 6);
}

TEST_CASE("conditions and numbers stand for each other") {
    constexpr auto chosen = [](auto c, auto x) { return dyad::where(c, x, 2 * x); };
    for (const double c : {0.0, 1.0, 2.0, -0.5}) {
        CHECK(dyad::value_and_grad<1>(chosen)(c, 3.0) == (c != 0 ? std::pair{3.0, 1.0} : std::pair{6.0, 2.0}));
        CHECK(dyad::grad<1>(chosen)(static_cast<int>(2 * c), 3.0) == (c != 0 ? 1 : 2));
    }
    const auto value = [](const auto& f, auto... x) { return dyad::value_and_grad<0>(f)(x...); };
    CHECK(value([](auto x, auto y) { return (x > 2) * y * x; }, 3.0, 5.0) == std::pair{15.0, 5.0});
    CHECK(value([](auto x) { return x * ((x > 2) - 0.5); }, 3.0) == std::pair{1.5, 0.5});
    CHECK(value([](auto x) { return (x > 2) / x; }, 4.0) == std::pair{0.25, -0.0625});
    CHECK(value([](auto x) { return x * -(x > 2); }, 3.0) == std::pair{-3.0, -1.0});
    CHECK(value([](auto x) { return x * abs((x > 2) + (x > 1)); }, 3.0) == std::pair{6.0, 2.0});
    CHECK(value([](auto x, auto y) { return dyad::where((x > 2) == (y > 2), x, -x); }, 3.0, 5.0) == std::pair{3.0, 1.0});
    CHECK(value([](auto x) { return where(where(x > 2, x > 1, x > 5), x, -x); }, 3.0F) == std::pair{3.0F, 1.0F});
    CHECK(value([](auto x) { return where(!x, 1, x); }, 3.0) == std::pair{3.0, 1.0});
    dyad::var<"x"> x{3.0};
    dyad::var<"y"> y{5.0};
    CHECK(((x > 2) * y * x).value() == 15);
    CHECK(diff(dyad::where(y, x, 2 * x), x).value() == 1);
    const double k = 1;
    CHECK(dyad::grad([k](auto s) { return dyad::where(k, s, 2 * s); })(3.0) == 1);
}

TEST_CASE("what two functions return may be a pair here and a tuple or an array there") {
    constexpr auto pair_or_tuple = [](auto x) {
        const auto c = dyad::cond(x > 1, [](auto u) { return std::pair{u * u, u}; }, [](auto u) { return std::tuple{u, u}; }, x);
        return std::get<0>(c) * std::get<1>(c);
    };
    constexpr auto array_or_tuple = [](auto x) {
        const auto c = dyad::cond(x > 1, [](auto u) { return std::array{u * u, u}; }, [](auto u) { return std::tuple{u, u}; }, x);
        return std::get<0>(c) * std::get<1>(c);
    };
    static_assert(pair_or_tuple(2.0) == 8 && array_or_tuple(0.5) == 0.25);
    static_assert(dyad::grad(pair_or_tuple)(2.0) == 12 && dyad::grad(pair_or_tuple)(0.5) == 1);
    static_assert(dyad::grad(array_or_tuple)(2.0) == 12 && dyad::grad(array_or_tuple)(0.5) == 1);
    constexpr auto known = [](auto x) { return std::get<0>(dyad::cond(true, [](auto u) { return std::pair{u * u, u}; }, [](auto u) { return std::tuple{u, u}; }, x)); };
    CHECK(dyad::grad(known)(3.0) == 6);
}

TEST_CASE("functions with captured numbers take conditions too") {
    const double k = 3;
    const auto chosen = [k](auto x, auto rising) { return dyad::where(rising && x > 1, k * x * x, -x); };
    CHECK(chosen(2.0, true) == 12);
    CHECK(dyad::value_and_grad<0>(chosen)(2.0, true) == std::pair{12.0, 12.0});
    CHECK(dyad::value_and_grad<0>(chosen)(2.0, false) == std::pair{-2.0, -1.0});
    CHECK(dyad::value_and_grad<0>(chosen)(2.0F, true) == std::pair{12.0, 12.0F}); // (k is a double)
    CHECK(dyad::jvp<0>(chosen)(std::tuple{2.0, true}, std::tuple{0.5}) == std::pair{12.0, 6.0});
    const auto in_pair = [k](auto x, auto p) {
        return dyad::cond(p.second, [&](auto y) { return k * y; }, [](auto y) { return y * y; }, x * p.first);
    };
    CHECK(dyad::grad<0>(in_pair)(2.0, std::pair{3.0, true}) == 9);
    CHECK(dyad::grad<0>(in_pair)(2.0, std::pair{3.0, false}) == 36);
    const auto around = [&](auto x) { return k * dyad::grad<0>(chosen)(x, true) + dyad::grad<0>(chosen)(x, x < 1); };
    CHECK(around(2.0) == 35);
    CHECK(dyad::grad(around)(2.0) == 18);
}
