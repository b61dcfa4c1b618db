// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// High derivatives by Leibniz' rule: what they cost, against 40-digit values (mpmath; higher_order.slow.cpp has functions of every
// kind), against the derivative of the derivative, zeros that are strong, and what they meet: loops, rules, captured numbers, other
// derivatives.

#include <dyad/core.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace {

// --- the operations of what is made of a few functions grow with the square of the order ---

constexpr auto wave = [](auto x) { return exp(sin(x)) / (1 + x * x); };
template <int N>
constexpr std::size_t cost() {
    return dyad::operation_count(dyad::graph_of<double>(dyad::derivative<N>(wave)));
}
static_assert(cost<3>() <= 45);
static_assert(cost<6>() <= 4 * cost<3>() && cost<12>() <= 4 * cost<6>());
static_assert(cost<16>() < 400);

// --- forms stay as short as they were ---

template <int N, class F>
constexpr bool reads(F f, std::string_view wanted) {
    return dyad::formula(dyad::graph_of<double>(dyad::derivative<N>(f))) == wanted;
}
static_assert(reads<3>([](auto x) { return x * x * x; }, "6"));
static_assert(reads<5>([](auto x) { return log(x); }, "24/x0^5"));
static_assert(reads<7>([](auto x) { return sin(2 * x); }, "-128*cos(2*x0)"));
static_assert(reads<20>([](auto x) { return exp(-x); }, "exp(-x0)"));
static_assert(reads<9>([](auto x) { return x * x * x; }, "0"));
static_assert(reads<8>([](auto x) { return x * exp(x); }, "8*exp(x0) + x0*exp(x0)"));

TEST_CASE("orders three, seven and ten, with an outer slope that is not one") {
    constexpr auto f = [](auto x) { return 3 * wave(2 * x); };
    CHECK(dyad::derivative<3>(f)(0.3125) == doctest::Approx(59.938440255370302).epsilon(1e-13));
    CHECK(dyad::derivative<7>(f)(0.3125) == doctest::Approx(-89014.900756855447).epsilon(1e-12));
    CHECK(dyad::derivative<10>(f)(0.3125) == doctest::Approx(-459259979.32875964).epsilon(1e-12));
}

TEST_CASE("the derivative of the derivative says the same") {
    constexpr auto f = [](auto x) { return dyad::tanh(x * x) / (2 + cos(x)) - sqrt(3 + x) * dyad::fmax(x, 0.1); };
    const auto nested = dyad::grad(dyad::grad(dyad::grad(f)));
    for (const double x : {-0.7, 0.05, 0.4, 2.0}) CHECK(dyad::derivative<3>(f)(x) == doctest::Approx(nested(x)).epsilon(1e-12));
}

TEST_CASE("what is not selected adds exactly nothing, in every order") {
    constexpr auto root = [](auto x) { return exp(x) * where(x > 0, x * sqrt(x), 0); };
    CHECK(dyad::derivative<3>(root)(-1.0) == 0);
    CHECK(dyad::derivative<5>(root)(0.0) == 0);
    CHECK(std::isfinite(dyad::derivative<5>(root)(1.0)));
    CHECK(dyad::derivative<4>([](auto x) { return dyad::relu(x) * log(x + 1) * 2; })(-3.0) == 0);
    CHECK(dyad::derivative<3>([](auto x) { return stop_gradient(x) * x; })(2.0) == 0);
    CHECK(dyad::derivative<3>([](auto x) { return floor(x) * cube(x); })(2.5) == 12);
}

TEST_CASE("the number types stay what they are") {
    constexpr auto d = dyad::derivative<5>(wave);
    static_assert(std::is_same_v<decltype(d(1.0F)), float> && std::is_same_v<decltype(d(1.0L)), long double>);
    CHECK(d(0.3F) == doctest::Approx(d(0.3)).epsilon(1e-4));
    CHECK(static_cast<double>(d(0.3L)) == doctest::Approx(d(0.3)).epsilon(1e-14));
}

TEST_CASE("through loops and rules it is the derivative of the derivative") {
    constexpr auto loop = [](auto x) { return dyad::fori_loop(3, [x](auto, auto y) { return x * sin(y); }, x); };
    constexpr auto line = [](auto x) { return x * sin(x * sin(x * sin(x))); };
    CHECK(dyad::derivative<3>(loop)(0.7) == doctest::Approx(dyad::derivative<3>(line)(0.7)).epsilon(1e-12));
    constexpr auto rule = dyad::custom_gradient([](auto x) { return x * x; }, [](auto x, auto, auto g) { return std::tuple{g * sin(x)}; });
    CHECK(dyad::derivative<4>([rule](auto x) { return rule(x); })(0.7) == doctest::Approx(-std::cos(0.7)).epsilon(1e-14));
}

TEST_CASE("captured numbers, and derivatives inside derivatives") {
    const double a = 1.5;
    CHECK(dyad::derivative<5>([a](auto x) { return dyad::sin(a * x); })(0.4) == doctest::Approx(std::pow(a, 5) * std::cos(a * 0.4)).epsilon(1e-14));
    CHECK(dyad::grad(dyad::derivative<4>(wave))(0.3) == doctest::Approx(dyad::derivative<5>(wave)(0.3)).epsilon(1e-12));
    CHECK(dyad::derivative<3>(dyad::derivative<4>(wave))(0.3) == doctest::Approx(dyad::derivative<7>(wave)(0.3)).epsilon(1e-11));
    // d/dx [x d³/dy³ (x y⁵) | y = x] = d/dx 60 x⁴
    constexpr auto inner = [](auto x) { return x * dyad::derivative<3>([x](auto y) { return x * y * y * y * y * y; })(x); };
    CHECK(dyad::grad(inner)(2.0) == 240 * 8);
}

TEST_CASE("expressions") {
    dyad::var<"x"> x{0.3};
    const auto z = exp(sin(x)) / (1 + x * x);
    CHECK(dyad::diff<12>(z, x).value() == doctest::Approx(-236339044.2885039).epsilon(1e-12));
}

} // namespace
