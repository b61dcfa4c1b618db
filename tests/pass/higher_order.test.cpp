// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// High derivatives by Leibniz' rule: what they cost, against 40-digit values (mpmath), against the derivative of the derivative,
// zeros that are strong, and what they meet: loops, rules, captured numbers, other derivatives.

#include <dyad/core.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace {

// --- the operations grow with the square of the order ---

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

/// 3 f(2x) at x = 0.3125, orders 3, 7 and, where it is given, 10.
template <class F, class... Tenth>
void check_orders(const char* name, F, double third, double seventh, Tenth... tenth) {
    constexpr auto h = [](auto x) { return 3 * F{}(2 * x); };
    CAPTURE(name);
    CHECK(dyad::derivative<3>(h)(0.3125) == doctest::Approx(third).epsilon(1e-13));
    CHECK(dyad::derivative<7>(h)(0.3125) == doctest::Approx(seventh).epsilon(1e-11));
    if constexpr (sizeof...(tenth) == 1) CHECK(dyad::derivative<10>(h)(0.3125) == doctest::Approx(tenth...).epsilon(1e-9).scale(1));
}
#define ORDERS(f, ...) check_orders(#f, [](auto x) { return f; }, __VA_ARGS__)

TEST_CASE("orders three, seven and ten of functions of each kind") {
    ORDERS(exp(sin(x)) / (1 + x * x), 59.938440255370302, -89014.900756855447, -459259979.32875964);
    ORDERS(tanh(x), -2.5677376073508749, 57641.399399939972, 59072113.495662609);
    ORDERS(atan(x), 3.0677774483700702, 62673.895206406105, 137630545.16302467);
    ORDERS(erf(x), -8.0167451254863513, 26920.874334116466, -8187769.5434202376);
    ORDERS(sqrt(1 + x * x), -19.732741749049087, 14110.559389354377, 34361913.899539532);
    ORDERS(pow(x, 2.5), 56.920997883030828, 39168.932431254238, -206481064.09584314);
    ORDERS(pow(x, x), 2.3769449807471159, -864206.06146670038);
    ORDERS(asin(x / 2), 4.6363122708826413, 3935.5877052468191, 4959309.4093058748);
    ORDERS(softplus(x), -1.6498288448768585, -156.79785886094525, -7508.7229971925685);
    ORDERS(sigmoid(x), -1.9759715946875763, 0.030372512859050696, -50886.541106867464);
    ORDERS(lgamma(x), -212.84595317183232, -7431307.9090257421, 122578724974.39843);
    ORDERS(tgamma(x), -921.20587535851954, -83083518.381684441, 1961066189754.2073);
    ORDERS(log(x) * cos(x), 167.26406677921557, 7327887.8669209872, -121911061534.84322);
    ORDERS(hypot(x, 1), -19.732741749049087, 14110.559389354377, 34361913.899539532);
    ORDERS(cbrt(x), 31.129162122612226, 843999.04440812308, -12250654882.166589);
    ORDERS(sinc(x), 176.76986464030448, 140054.91776851892, 5894418.8971794448);
    ORDERS(acosh(1 + x), 43.725421848067242, 950545.27958292626, -12831169244.470887);
    ORDERS(atan2(x, 2 - x), -18.699686646084875, 140937.66359418838, -249122835.89930698);
    ORDERS(logaddexp(x, 2 * x), -1.6498288448768585, -156.79785886094525, -7508.7229971925685);
    ORDERS(xlogy(x, x), -61.44, -773094.11328, 8511803295.7302374);
    ORDERS(expm1(x) * log1p(x), 63.319057344321804, -4964.5749647361131, 5983895.4132569696);
    ORDERS(cube(cube(x)), 720.977783203125, 27216000.0, 0.0);
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
