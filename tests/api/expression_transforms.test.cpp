// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Transforms inside functions that are run on expressions, since they capture a number: of functions with captured values and
// without, in loops, in one another. The same functions are traced where that number is an argument, and run on plain numbers.
#include <doctest/doctest.h>

#include <cmath>
#include <tuple>
#include <type_traits>
#include <utility>

#include <dyad/core.hpp>

namespace {

inline constexpr auto third_power = [](auto x) { return x * x * x; };
inline constexpr auto mixed = [](auto x, auto y) { return x * x * y + sin(y); };

/// Value, first and second derivative of f(x, k) by x, each way.
template <class F>
void agree(F f) {
    const double x = 0.7, k = 1.5;
    const auto captures = [k](auto u) { return F{}(u, k); };
    const auto close = [](double a, double b) { return doctest::Approx(a).epsilon(1e-13) == b; };
    const auto [value, slope] = dyad::value_and_grad<0>(f)(x, k);
    CHECK(slope != 0);
    CHECK(close(value, f(x, k)));
    CHECK(close(value, captures(x)));
    const auto [same_value, same_slope] = dyad::value_and_grad(captures)(x);
    CHECK(close(value, same_value));
    CHECK(close(slope, same_slope));
    CHECK(close(dyad::hessian(captures)(x), dyad::grad<0>(dyad::grad<0>(f))(x, k)));
}

TEST_CASE("of functions that capture nothing") {
    agree([](auto x, auto k) { return k * dyad::grad(third_power)(x); });
    agree([](auto x, auto k) { return k * dyad::derivative<2>(third_power)(x) + dyad::hessian(third_power)(x) + dyad::jacobian(third_power)(k * x); });
    agree([](auto x, auto k) { return x * dyad::grad(dyad::grad(third_power))(dyad::grad(third_power)(k * x)); });
    agree([](auto x, auto k) {
        const auto [a, b] = dyad::grad(mixed)(x, k);
        const auto [v, s] = dyad::value_and_grad<0>(mixed)(k, x);
        const auto [w, both] = dyad::value_and_grad(mixed)(x, k * x);
        return a + 2 * b + 3 * v + 4 * s + 5 * w + 6 * std::get<0>(both) + 7 * std::get<1>(both);
    });
    agree([](auto x, auto k) { return k * dyad::grad<0>([](auto u, auto n) { return pow(u, n); })(x, 3); });
}
TEST_CASE("products") {
    agree([](auto x, auto k) {
        const auto [v, t] = dyad::jvp(third_power)(x, k * x);
        const auto [w, d] = dyad::jvp(mixed)(std::tuple{x, 2 * x}, std::tuple{1.0, k});
        const auto [a, b] = dyad::hvp(mixed)(std::tuple{x, k * x}, std::tuple{x, 2.0});
        return v + 2 * t + 3 * w + 4 * d + 5 * a + 6 * b;
    });
    agree([](auto x, auto k) {
        const auto [v, pullback] = dyad::vjp(mixed)(x, k * x);
        const auto [a, b] = pullback(x);
        const auto [c, d] = pullback(2.0);
        const auto [w, several] = dyad::vjp([](auto u) { return std::pair{3 * u * u, sin(u)}; })(x * x);
        return v + 2 * a + 3 * b + 4 * c + 5 * d + 6 * w.first + 7 * several(std::pair{x, 2.0});
    });
    agree([](auto x, auto k) {
        const auto [v, pullback] = dyad::vjp([=](auto u) { return k * u * u * x; })(x * x);
        const auto [w, t] = dyad::jvp([=](auto u) { return k * u * u * x; })(x, x);
        return v + 2 * pullback(x) + 3 * w + 4 * t;
    });
}
TEST_CASE("of functions that capture what is differentiated around them: constant inside, not outside") {
    agree([](auto x, auto k) { return dyad::grad([=](auto y) { return k * x * y * y; })(2 * x); });
    agree([](auto x, auto k) { return dyad::grad([=](auto y) { return k * x * y * y + dyad::grad(third_power)(y); })(x); });
    agree([](auto x, auto k) { return dyad::grad([=](auto y) { return y * dyad::grad([=](auto z) { return k * x * y * z * z; })(x * y); })(x); });
    agree([](auto x, auto k) { return dyad::grad(dyad::grad([=](auto y) { return k * y * y * y * x; }))(x); });
    agree([](auto x, auto k) { return dyad::derivative<3>([=](auto y) { return sin(k * y * x); })(x); });
    agree([](auto x, auto k) { return dyad::hvp([=](auto y) { return sin(k * y * x); })(x, k * x); });
}
TEST_CASE("in loops and branches, and around them") {
    agree([](auto x, auto k) { return dyad::fori_loop(3, [=](auto, auto s) { return s - 0.1 * dyad::grad([=](auto y) { return k * y * y * x; })(s); }, x); });
    agree([](auto x, auto k) { return dyad::fori_loop(2, [=](auto, auto s) { return sin(dyad::grad(third_power)(s) * k); }, x); });
    agree([](auto x, auto k) { return dyad::grad([=](auto y) { return dyad::fori_loop(3, [=](auto, auto s) { return sin(s * y) + k * x; }, y); })(x); });
    agree([](auto x, auto k) { return dyad::cond(x < 1, [=](auto u) { return k * dyad::grad(third_power)(u); }, [](auto u) { return u; }, x); });
    agree([](auto x, auto k) { return dyad::grad([=](auto y) { return dyad::cond(y < k, [](auto u) { return sin(u); }, [](auto u) { return u; }, y * y); })(x); });
}
TEST_CASE("pairs and tuples go round loops inside one another") {
    agree([](auto x, auto k) {
        const auto next = [=](auto, auto s) {
            const auto [a, rest] = s;
            const auto [b, c] = rest;
            return std::pair{a + k * b, std::tuple{b * x, c + a}};
        };
        const auto [a, rest] = dyad::fori_loop(3, next, std::pair{x, std::tuple{x * x, sin(x)}});
        return a + std::get<0>(rest) * std::get<1>(rest);
    });
}
TEST_CASE("beside traced values: constants are numbers, and a function that captures both knows its type") {
    using namespace dyad::literals;
    const auto close = [](double a, double b) { CHECK(a == doctest::Approx(b).epsilon(1e-13)); };
    static constexpr double x = 0.5, y = 1.5;
    close(dyad::grad([](auto u) { return dyad::grad<0>(mixed)(u, 2_c); })(x), 4);
    close(dyad::grad([](auto u) { return dyad::jvp(mixed)(std::tuple{u, 2_c}, std::tuple{1_c, u}).second; })(x), 4 + 3 * x * x + std::cos(2.0));
    close(dyad::grad([](auto u) { return dyad::grad([=](auto v) { return u * u * v * v; })(2_c); })(x), 8 * x);
    close(dyad::grad([](auto u) { return dyad::hvp([=](auto v) { return u * u * v * v; })(2_c, 3_c); })(x), 12 * x);
    close(dyad::grad([](auto u) { return std::get<1>(dyad::vjp(mixed)(u, 2_c).second(3_c)); })(x), 6 * x);
    const auto inner = [](auto u) { // Σ of 2uy, y(u² + cos y) and u²y + sin y
        return dyad::grad([&](auto v) { return std::get<0>(dyad::grad(mixed)(u, v)) + dyad::jvp<1>(mixed)(std::tuple{u, v}, v).second + dyad::vjp(mixed)(u, v).first; })(y);
    };
    close(dyad::value_and_grad(inner)(x).first, 2 * x + x * x + std::cos(y) - y * std::sin(y) + x * x + std::cos(y));
    close(dyad::grad(inner)(x), 2 + 4 * x);
}
TEST_CASE("conditions and whole numbers among the arguments stay such; pullbacks at plain numbers take expressions") {
    agree([](auto x, auto k) { return dyad::grad<0>([=](auto u, auto n) { return k * pow(u, n); })(x, 3); });
    agree([](auto x, auto k) { return k * dyad::grad<0>([](auto u, auto c, auto n) { return where(c, pow(u, n), u); })(x, !(x > 2), 3); });
    agree([](auto x, auto k) {
        const auto pullback = dyad::vjp(mixed)(0.3, 0.4).second;
        const auto [a, b] = pullback(x * x);
        const auto [c, d] = dyad::jvp(mixed)(std::tuple{0.3, 0.4}, std::tuple{x, k * x});
        return k * a + b + x * c + 2 * d;
    });
}
TEST_CASE("of variables") {
    dyad::var<"x"> x{3.0};
    const auto slope = dyad::grad(third_power)(x) * x;
    CHECK(slope.value() == 81);
    CHECK(dyad::diff(slope, x).value() == 81);
    CHECK(dyad::formula(dyad::grad(third_power)(x)) == "3*x^2");
    const auto by_y_alone = dyad::grad([&](auto y) { return y * y * x; })(x);
    CHECK(dyad::formula(by_y_alone) == "2*x^2");
    const float k = 1.5F;
    const auto narrow = [k](auto u) { return k * dyad::grad(third_power)(u); };
    static_assert(std::is_same_v<decltype(dyad::grad(narrow)(2.0F)), float>);
    CHECK(dyad::grad(narrow)(2.0F) == 18);
}

// Closures of one lambda have one name for some compilers, in which the arguments of one would be those of the other.
inline constexpr auto scaled = [](auto f, double k) { return [f, k](auto x) { return k * dyad::grad([f, k, x](auto y) { return k * f(y) * x; })(x); }; };
TEST_CASE("two functions of one name inside one another are refused") {
    const auto once = scaled(third_power, 2.0); // 12 x³
    CHECK(dyad::grad(once)(2.0) == 144);
    CHECK_THROWS_AS(static_cast<void>(dyad::grad(scaled(once, 3.0))(2.0)), dyad::value_error); // (it would be 3888)
}

} // namespace

TEST_CASE("a transform at plain numbers, of what captures an argument from around") {
    const double k = 0.5;
    const auto f = [k](auto x) {
        return k * dyad::grad([&](auto t) { return t * t * x * k; })(0.5) + dyad::derivative<2>([&](auto t) { return t * t * t * x * x; })(k) +
               dyad::fori_loop(2, [&](auto, auto s) { return s * dyad::grad([&](auto t) { return t * s * x; })(0.5); }, x);
    };
    CHECK(dyad::grad(f)(2.0) == doctest::Approx(460.25)); // x / 4 + 6 k x² + x⁷
    const auto along = [k](auto x) { return dyad::jvp([&](auto t) { return k * dyad::sin(x + t * x); })(0.0, 1.0).second; };
    CHECK(dyad::grad(along)(2.0) == doctest::Approx(k * (std::cos(2.0) - 2 * std::sin(2.0)))); // of k x cos x
    const auto pulled = [k](auto x) {
        const auto [value, pullback] = dyad::vjp([&](auto t) { return t * t * x; })(k);
        return pullback(x) * value;
    };
    CHECK(dyad::grad(pulled)(2.0) == doctest::Approx(3)); // of 2 k³ x³
}
