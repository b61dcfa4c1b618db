// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Eager expressions: values that can be printed and branched on, derivatives whose formulas are types.
// Equal formulas must be equal types however they were built; leaves merge by name and only by name;
// what an expression has captured does not change any more.

#include <dyad/core.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace {

using namespace dyad::literals;
using dyad::diff, dyad::formula;

constexpr dyad::var<"x"> x{3.0};
constexpr dyad::var<"y"> y{2.0};
constexpr dyad::var<"z"> z{0.5};

template <class A, class B>
constexpr bool same_type(const A&, const B&) {
    return std::is_same_v<A, B>;
}

// --- formulas of expressions: what a person would write ---

static_assert(formula(x) == "x");
static_assert(formula(y + x) == "x + y");
static_assert(formula(1_c + x) == "x + 1" && formula(x - 1_c) == "x - 1" && formula(-2_c + x) == "x - 2");
static_assert(formula(x - (y - z)) == "x - (y - z)" && formula((x - y) - z) == "x - y - z");
static_assert(formula(x / (y * z)) == "x/(y*z)" && formula(x / y / z) == "x/y/z");
static_assert(formula((x + y) * (x - y)) == "(x + y)*(x - y)");
static_assert(formula(-(x + y)) == "-(x + y)" && formula(-(x - y)) == "y - x");
static_assert(formula(pow(x + y, 3_c)) == "(x + y)^3" && formula(pow(x, y)) == "x^y");
static_assert(formula(x < y) == "x < y" && formula(x > y) == "y < x" && formula(!(x == y)) == "!(x == y)");
static_assert(formula(where(x < y, x, 2_c * y)) == "where(x < y, x, 2*y)");
static_assert(formula(0.1_c + 0.2_c) == "0.30000000000000004" && formula(1e-18_c * x) == "1e-18*x");
static_assert(formula(stop_gradient(x) * x) == "x*stop_gradient(x)");

// --- formulas of derivatives ---

static_assert(formula(diff(x * x * y + 1_c, x)) == "2*x*y");
static_assert(formula(diff(x * x * y + 1_c, y)) == "x^2");
static_assert(formula(diff(x * x * y, x, y)) == "2*x" && formula(diff<2>(x * x * y, x)) == "2*y");
static_assert(formula(diff(x * x * x, x)) == "3*x^2" && formula(diff<3>(x * x * x, x)) == "6");
static_assert(formula(diff(1_c / x, x)) == "-1/x^2" && formula(diff(log(x), x)) == "1/x");
static_assert(formula(diff(sin(x * y), x)) == "y*cos(x*y)");
static_assert(formula(diff(exp(x * x), x)) == "2*x*exp(x^2)");
static_assert(formula(diff(sqrt(x), x)) == "0.5/sqrt(x)");
static_assert(formula(diff(sin(x) * cos(x), x)) == "cos(x)^2 - sin(x)^2");
static_assert(formula(diff(tanh(x), x)) == "1 - tanh(x)^2");
static_assert(formula(diff(where(x < y, x * x, y), x)) == "where(x < y, 2*x, 0)");
static_assert(formula(diff(max(x, y), x)) == "where(x < y, 0, where(x == y, 0.5, 1))");
static_assert(formula(diff(abs(x), x)) == "sign(x)" && formula(diff(relu(x), x)) == "where(0 < x, 1, 0)");
static_assert(formula(diff(log(1_c + exp(x)), x)) == "sigmoid(x)");
static_assert(formula(diff(stop_gradient(x) * x, x)) == "stop_gradient(x)");
static_assert(formula(diff<5>(pow(x, 7_c), x)) == "2520*x^2" && formula(diff<5>(log(x), x)) == "24/x^5");
static_assert(formula(diff<5>(exp(2_c * x), x)) == "32*exp(2*x)" && formula(diff<5>(sin(x), x)) == "cos(x)");

// --- equal formulas are equal types, however built ---

static_assert(same_type(x * y, y * x) && same_type(x + y, y + x) && same_type(max(x, y), max(y, x)));
static_assert(!same_type(x - y, y - x) && !same_type(x, y) && !same_type(x * 2_c, x * 3_c));
static_assert(same_type(diff(x * x, x), 2_c * x) && same_type(x + x, 2_c * x) && same_type(x * 2_c, 2_c * x));
static_assert(same_type(x * x * x, pow(x, 3_c)) && same_type(cube(x), x * (x * x)) && same_type(square(x), x * x));
static_assert(same_type(diff(sin(x), x), cos(x)) && same_type(diff<4>(sin(x), x), sin(x)));
static_assert(same_type(-(x - y), y - x) && same_type(sin(-x), -sin(x)) && same_type(x > y, y < x));
static_assert(same_type(diff(x * x * y, x, y), diff(x * x * y, y, x)));
static_assert(same_type(diff(exp(x) * y, y), exp(x)) && same_type(diff(x * y * z, z), x * y));
static_assert(same_type(2.5_c * x, 25e-1_c * x) && same_type(1'000_c * x, 1e3_c * x));

// --- a variable that does not occur ---

static_assert(formula(diff(x * x, y)) == "0" && formula(diff<3>(sin(x), y)) == "0" && formula(diff(2_c * 3_c, x)) == "0");
static_assert(decltype(diff(x * x, y))::leaves::size == 0 && diff(x * x, y).value() == 0.0);
static_assert(dyad::gradient(x * x, y, x) == std::tuple{0.0, 6.0});

// --- values at compile time ---

static_assert((x * x * y + 1_c).value() == 19.0 && diff(x * x * y, x).value() == 12.0 && x.value() == 3.0);
static_assert(dyad::value_and_gradient(x * x * y, x, y) == std::pair{18.0, std::tuple{12.0, 9.0}});
static_assert((x > y) && !(x < y) && (x != y) && bool(x >= 3) && bool(x <= 3) && bool(x == 3.0));
static_assert(bool(x > 1 && y < 3) && bool(x < 1 || y < 3));
static_assert(diff(x, x).value() == 1.0 && diff(-x, x).value() == -1.0 && formula(diff(x, x)) == "1");

template <class E>
std::string printed(const E& e) {
    std::ostringstream out;
    out << e;
    return out.str();
}

} // namespace

TEST_CASE("variables, expressions and conditions print their values") {
    CHECK(printed(x) == "3");
    CHECK(printed(x * y + z) == "6.5");
    CHECK(printed(diff(x * x, x)) == "6");
    CHECK(printed(x > y) == "1");
    CHECK(printed(x < y) == "0");
    CHECK(printed(formula(x * y)) == "x*y");
}

TEST_CASE("equal formulas are equal types also where leaves were dropped on the way") {
    CHECK(same_type(diff(x * (sin(y) * sin(z)), x), sin(y) * sin(z)));
    CHECK(same_type(diff(x * (sin(y) * sin(y * y)), x), sin(y) * sin(y * y)));
    CHECK(same_type(diff(x * (exp(y) + exp(2_c * y)), x), exp(y) + exp(2_c * y)));
    CHECK(same_type(diff(x * (cos(y) * cos(y + 1_c)), x), cos(y) * cos(y + 1_c)));
    CHECK(same_type(diff(x * (log(y) * log(3_c * y)), x), log(y) * log(3_c * y)));
    CHECK(same_type(diff(x * (tanh(y) + tanh(y * z)), x), tanh(y) + tanh(y * z)));
}

TEST_CASE("a comparison of expressions steers a branch") {
    dyad::var<"u"> u{0.1};
    int steps = 0;
    while (u * u < 4) {
        u = (2_c * u).value();
        ++steps;
    }
    CHECK(steps == 5);
    CHECK((u > 3 ? 1 : 0) == 1);
}

TEST_CASE("an expression keeps the values that it was built with") {
    dyad::var<"u"> u{3.0};
    const auto before = u * u;
    const auto slope = diff(before, u);
    u = 5.0;
    CHECK(before.value() == 9.0);
    CHECK(slope.value() == 6.0);
    CHECK((u * u).value() == 25.0);
    const auto copy = u; // of one variable; still the same one
    CHECK((copy * u).value() == 25.0);
    CHECK_THROWS_AS(static_cast<void>(before + u), dyad::value_error); // 3 and 5 cannot both be u
}

TEST_CASE("two variables of one name are refused even if their values agree") {
    dyad::var<"speed"> a{1.5}, b{1.5}, c{-0.25};
    CHECK_THROWS_AS(static_cast<void>(a * b), dyad::value_error);
    CHECK_THROWS_AS(static_cast<void>((x * a) / (y + sin(c))), dyad::value_error);
    try {
        static_cast<void>(a * x + c);
        FAIL("nothing was thrown");
    } catch (const dyad::error& e) {
        const std::string text = e.what();
        CHECK(text.find("\"speed\"") != std::string::npos);
        CHECK(text.find("1.5") != std::string::npos);
        CHECK(text.find("-0.25") != std::string::npos);
    }
    CHECK((a + a * a).value() == 3.75);
}

TEST_CASE("a copy of a variable that was assigned to has no formula: derivatives say so, and do not take it for the variable") {
    const dyad::var<"start"> start{3.0};
    auto product = start;
    for (int k = 0; k < 2; ++k) product = product * 2;
    CHECK_THROWS_WITH_AS(static_cast<void>(diff(product, start)), doctest::Contains("\"start\", stand in it, with the values 12 and 3"), dyad::value_error);
    CHECK_THROWS_AS(static_cast<void>(gradient(product, start)), dyad::value_error);
    CHECK_THROWS_AS(static_cast<void>(value_and_gradient(product, x, start)), dyad::value_error);
    const auto copy = start;
    CHECK(diff(copy, start).value() == 1);
    CHECK(diff(start, start).value() == 1);
    CHECK(diff(product, product).value() == 1);
    dyad::var<"later"> later{2.0};
    const auto before = later;
    later = 5;
    CHECK(diff(before, later).value() == 1); // made before the assignment
    CHECK(diff(before * before, later).value() == 4);
    CHECK(diff(dyad::var<"other", float>(2.0F), dyad::var<"other", double>(3.0)).value() == 1); // by name
    const dyad::var<"nothing"> nothing{std::nan("")};
    CHECK(diff(nothing, nothing).value() == 1);
}

TEST_CASE("run-time numbers are unnamed slots that never merge") {
    double rate = 2;
    const auto e = rate * x * x + 2 * y + rate;
    rate = 7;
    CHECK(e.value() == 24.0);
    CHECK(decltype(e)::leaves::size == 5); // x, y and three numbers
    CHECK(formula(2.0 * x) == "x*#");
    CHECK(formula(diff(rate * x * x, x)).find('#') != std::string::npos);
    CHECK(diff(rate * x * x, x).value() == 42.0);
    CHECK(same_type(1.0 * x, 2.0 * x)); // the value is not part of the type
    CHECK(!same_type(x * x, 1.0 * x));
    CHECK((x / 2).value() == 1.5); // whole numbers divide as real ones
    CHECK((1 / y).value() == 0.5);
}

TEST_CASE("variables can be float or long double") {
    dyad::var<"f", float> f{0.1F};
    CHECK(std::is_same_v<decltype((f * f).value()), float>);
    CHECK(std::is_same_v<decltype(diff(f * f, f).value()), float>);
    CHECK((f * f).value() == 0.1F * 0.1F);
    CHECK(diff(f * f * f, f).value() == doctest::Approx(0.03F).epsilon(1e-7));
    CHECK(std::is_same_v<decltype(sin(f * 0.5F).value()), float>);
    CHECK(std::is_same_v<decltype(sin(f * 0.5_c).value()), float>);
    CHECK(std::is_same_v<decltype((f * x).value()), double>);
    CHECK(std::is_same_v<decltype(dyad::gradient(f * x, f, x)), std::tuple<float, double>>);
    dyad::var<"l", long double> l{0.1L};
    CHECK((l * l).value() == 0.1L * 0.1L);
    CHECK(std::abs(static_cast<double>(diff(exp(l) / 3, l).value() - std::exp(0.1L) / 3)) < 1e-19);
}

TEST_CASE("whole numbers beside a float variable leave it a float") {
    dyad::var<"f", float> f{0.1F};
    CHECK(std::is_same_v<decltype((f * 3).value()), float>);
    CHECK(std::is_same_v<decltype((1 - f / 2).value()), float>);
    const int n = 3;
    CHECK(std::is_same_v<decltype(diff(f / n, f).value()), float>); // where nothing of f is left
    CHECK(std::is_same_v<decltype(diff(f * n, f).value()), float>);
    CHECK(diff(f * n / 7, f).value() == 3.0F / 7);
    dyad::var<"l", long double> l{0.1L};
    CHECK(diff(l / n, l).value() == 1.0L / 3);
    CHECK((diff(l * n / 7, l) / 5).value() == 3.0L / 7 / 5);
    CHECK(std::is_same_v<decltype((l * n > 0).value()), bool>);
    CHECK(diff(where(l > 0, l / n, 0), l).value() == 1.0L / 3);
}

TEST_CASE("pieces have the slope of the piece that was taken") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    dyad::var<"u"> u{-1.0};
    CHECK(where(u > 0, log(u), 0_c).value() == 0.0);
    CHECK(diff(where(u > 0, log(u), 0_c), u).value() == 0.0); // not NaN, not 1/u
    CHECK(diff(where(u > 0, sqrt(u) * nan, u * u), u).value() == -2.0);
    CHECK(diff(max(u, 2 * u), u).value() == 1.0);
    CHECK(diff(min(u, 2 * u), u).value() == 2.0);
    CHECK(diff(max(u, u), u).value() == 1.0);
    CHECK(diff(clamp(u, -2, 2), u).value() == 1.0);
    CHECK(diff(clamp(u, 0, 2), u).value() == 0.0);
    CHECK(diff(abs(u), u).value() == -1.0);
    const bool flag = true;
    CHECK(where(flag, u, x).value() == -1.0);
    CHECK(diff(where(flag, u * u, x), u).value() == -2.0);
}

TEST_CASE("the values of derivatives agree with the formulas of the textbook") {
    const double p = x.value(), q = y.value();
    const auto near = [](const auto& got, double want) {
        CHECK_MESSAGE(std::abs(got.value() - want) <= 1e-13 * (1 + std::abs(want)), formula(got));
    };
    near(diff(atan2(y, x), x), -q / (p * p + q * q));
    near(diff(hypot(x, y), x), p / std::hypot(p, q));
    near(diff(pow(x, y), x), q * std::pow(p, q - 1));
    near(diff(pow(x, y), y), std::pow(p, q) * std::log(p));
    near(diff(sigmoid(x), x), std::exp(-p) / std::pow(1 + std::exp(-p), 2));
    near(diff(erf(z), z), 2 / std::sqrt(std::acos(-1.0)) * std::exp(-0.25));
    near(diff(asin(z), z), 1 / std::sqrt(0.75));
    near(diff(x / y, x, y), -1 / (q * q));
    near(diff(logsumexp(x, y, z), y), std::exp(q) / (std::exp(p) + std::exp(q) + std::exp(0.5)));
    near(diff(fma(x, y, z), x, y), 1);
}

TEST_CASE("fifth derivatives are right") {
    const double p = z.value(), e = std::exp(p), w = 1 + p * p;
    const auto near = [](const auto& got, double want) {
        CHECK(std::abs(got.value() - want) <= 1e-11 * (1 + std::abs(want)));
    };
    near(diff<5>(exp(z) * sin(z), z), -4 * e * (std::sin(p) + std::cos(p)));
    near(diff<5>(1_c / (1_c + z * z), z), -240 * p * (3 - 10 * p * p + 3 * p * p * p * p) / std::pow(w, 6));
    near(diff<5>(sqrt(z), z), 105.0 / 32 * std::pow(p, -4.5));
    near(diff<5>(z * log(z), z), -6 / std::pow(p, 4));
    near(diff<5>(pow(z, 9_c), z), 15120 * std::pow(p, 4));
    near(diff<5>(x * exp(x * z), z), std::pow(3.0, 6) * std::exp(1.5));
}

TEST_CASE("formulas show mathematics, not the helpers of rules") {
    CHECK(formula(diff(pow(x, y), x)) == "y*x^(y - 1)");
    CHECK(formula(diff(pow(x, y), y)) == "x^y*log(x)");
    CHECK(formula(diff(atan2(x, y), x)) == "y/(y^2 + x^2)");
    CHECK(formula(diff(hypot(x, y), x)) == "x/hypot(x, y)");
    CHECK(formula(diff(asin(x), x)) == "1/sqrt(1 - x^2)");
    CHECK(formula(diff(acosh(x), x)) == "1/sqrt(x^2 - 1)");
    CHECK(formula(diff(erfc(x), x)) == "-1.1283791670955126*exp(-x^2)");
}

TEST_CASE("plain flags join conditions") {
    for (const bool flag : {false, true}) {
        CHECK(dyad::where(x > 0 && flag, x * y, y).value() == (flag ? (x * y).value() : y.value()));
        CHECK(dyad::where(flag || x < 0, x * y, y).value() == (flag ? (x * y).value() : y.value()));
        const auto captured = [flag](auto u) { return dyad::where(u > 0 && flag, u * u, -u); };
        CHECK(dyad::grad(captured)(3.0) == (flag ? 6.0 : -1.0));
        const auto argument = [](auto u, auto on) { return dyad::where(on && u > 0, u * u, -u); };
        CHECK(dyad::grad<0>(argument)(3.0, flag) == (flag ? 6.0 : -1.0));
    }
    const auto known = [](auto u) { return dyad::where(true && u > 0, u * u, -u); };
    CHECK(dyad::grad(known)(3.0) == 6.0);
}
TEST_CASE("a variable takes steps, by numbers and by the values of expressions") {
    dyad::var<"x"> place{3.0};
    const auto before = place * place;
    place -= 0.1 * 6;
    CHECK(place.value() == 3.0 - 0.1 * 6);
    CHECK(before.value() == 9); // as it was
    place = 2.0;
    place += dyad::diff(place * place, place);
    CHECK(place.value() == 6);
    place *= 2;
    place /= place * 1;
    CHECK(place.value() == 1);
    place = place + 2;
    place = place * place;
    CHECK(place.value() == 9);
    dyad::var<"y", float> single{2.0f};
    single *= 1.5;
    CHECK(single.value() == 3.0f);
    static_assert([] {
        dyad::var<"a"> inside{2.0};
        inside *= 3;
        return inside.value();
    }() == 6.0);
}

namespace {
constexpr auto by_cotangents = dyad::custom_gradient([](auto u) { return u * u; }, [](auto u, auto, auto up) { return up * 2 * u; });
constexpr auto by_tangents = dyad::custom_jvp([](auto u) { return u * u; }, [](auto u, auto, auto t) { return t * 2 * u; });
} // namespace
TEST_CASE("derivatives of loops whose rounds are kept are expressions") {
    const dyad::var<"a"> a{1.5};
    const dyad::var<"b"> b{1.2};
    const auto by_rule = dyad::fori_loop(2, [&](auto, auto s) { return by_cotangents(s); }, a); // a⁴
    CHECK(by_rule.value() == 5.0625);
    CHECK(diff(by_rule, a).value() == 13.5);
    CHECK(diff<2>(by_rule, a).value() == 27);
    CHECK(diff(diff(by_rule, a), a).value() == 27);
    CHECK(diff<3>(by_rule, a).value() == 36);
    CHECK(std::get<0>(gradient(diff(by_rule, a), a)) == 27);
    const auto by_both = dyad::while_loop([](auto s) { return s < 4; }, [&](auto s) { return by_tangents(s) * b; }, a); // a⁴b³
    CHECK(by_both.value() == doctest::Approx(8.748));
    CHECK(diff(by_both, a).value() == doctest::Approx(23.328));
    CHECK(diff(by_both, b).value() == doctest::Approx(21.87));
    CHECK(diff(by_both, a, b).value() == doctest::Approx(58.32));
}
