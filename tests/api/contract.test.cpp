// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The public contract, sentence by sentence: what users of the core are promised for functions and
// for eager expressions, in the very words of the documentation. If one of these no longer compiles
// or holds, programs outside this project break.

#include <dyad/core.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace {

using namespace dyad::literals;

// --- static: what is promised about compile time ---

static_assert(dyad::grad([](auto x) { return x * x * x; })(2.0) == 12.0);
static_assert(dyad::derivative<3>([](auto x) { return x * x * x * x; })(2.0) == 48.0);
static_assert(dyad::grad(dyad::grad([](auto x) { return x * x * x; }))(2.0) == 12.0);
static_assert(dyad::value_and_grad([](auto x) { return x * x; })(3.0) == std::pair{9.0, 6.0});
static_assert(std::is_same_v<decltype(dyad::grad([](auto x) { return x / 3; })(1.0F)), float>);

using xy = decltype([](auto x, auto y) { return x * y; });
static_assert(std::is_same_v<decltype(dyad::value_and_grad(xy{})(1.0, 2.0)),
                             std::pair<double, std::tuple<double, double>>>);
static_assert(std::is_same_v<decltype(dyad::grad<1>(xy{})(1.0, 2.0)), double>);
static_assert(std::is_same_v<decltype(dyad::grad<0, 1>(xy{})(1.0, 2.0)), std::tuple<double, double>>);
static_assert(std::is_same_v<decltype(dyad::jvp(xy{})(std::tuple{1.0, 2.0}, std::tuple{1.0, 0.0})),
                             std::pair<double, double>>);
static_assert(std::is_same_v<decltype(dyad::vjp(xy{})(1.0, 2.0).first), double>);
static_assert(std::is_same_v<decltype(dyad::vjp(xy{})(1.0, 2.0).second(1.0)), std::tuple<double, double>>);

constexpr dyad::var<"x"> cx{3.0};
constexpr dyad::var<"y"> cy{2.0};
static_assert((cx * cx * cy + 1_c).value() == 19.0);
static_assert(dyad::diff(cx * cx * cy + 1_c, cx).value() == 12.0);
static_assert(dyad::formula(dyad::diff(cx * cx * cy + 1_c, cx)) == "2*x*y");
static_assert(std::is_same_v<decltype(dyad::diff(cx * cx, cx)), decltype(2_c * cx)>);

// A variable that does not occur: the derivative is the constant 0, known at compile time.
static_assert(dyad::formula(dyad::diff(cx * cx, cy)) == "0");
static_assert(decltype(dyad::diff(cx * cx, cy))::leaves::size == 0);

bool near(double got, double want) {
    return std::abs(got - want) <= 1e-14 * (1 + std::abs(want));
}

} // namespace

TEST_CASE("every example for functions holds as it stands in the contract") {
    using dyad::log, dyad::sin, dyad::exp; // before the lambda, so that f(1.0, 2.0) works on plain numbers too
    auto f = [](auto x, auto y) { return log(x * y) + sin(x * y) * exp(y / (1 + x * x)); };

    // f = log(p) + sin(p) e(q) with p = xy = 3 and q = y/(1 + x²) = 2/3.25
    const double e = std::exp(2.0 / 3.25), s = std::sin(3.0), c = std::cos(3.0), w = 3.25;
    const double v_want = std::log(3.0) + s * e;
    const double dx_want = 1 / 1.5 + e * (2.0 * c - s * 2.0 * 2 * 1.5 / (w * w));
    const double dy_want = 1 / 2.0 + e * (1.5 * c + s / w);
    CHECK(near(f(1.5, 2.0), v_want));

    auto [dx, dy] = dyad::grad(f)(1.5, 2.0); // one result for each argument
    CHECK(near(dx, dx_want));
    CHECK(near(dy, dy_want));

    auto dy_only = dyad::grad<1>(f)(1.5, 2.0); // by position: plain value
    CHECK(dy_only == dy);

    auto [value, gradient] = dyad::value_and_grad(f)(1.5, 2.0);
    CHECK(near(value, v_want));
    CHECK(near(std::get<0>(gradient), dx_want));
    CHECK(near(std::get<1>(gradient), dy_want));

    auto h = dyad::hessian(f)(1.5, 2.0); // h[i][j]
    CHECK(h[0][1] == h[1][0]);
    // ∂²f/∂y² = -1/y² + e (-x² s + 2 x c/w + s/w²)
    CHECK(near(h[1][1], -0.25 + e * (-2.25 * s + 3.0 * c / w + s / (w * w))));

    auto g = [](auto x) { return sin(x) * x; };
    double third = dyad::derivative<3>(g)(2.0); // g of one argument, any order
    CHECK(near(third, -3 * std::sin(2.0) - 2 * std::cos(2.0)));
    double also = dyad::grad(dyad::grad(g))(2.0); // transforms nest
    CHECK(near(also, 2 * std::cos(2.0) - 2 * std::sin(2.0)));

    auto [v, tangent] = dyad::jvp(f)(std::tuple{1.5, 2.0}, std::tuple{1.0, 0.0});
    CHECK(near(v, v_want));
    CHECK(near(tangent, dx_want));

    auto [w2, pullback] = dyad::vjp(f)(1.5, 2.0); // callable repeatedly
    CHECK(near(w2, v_want));
    for (const double seed : {1.0, 2.0, 1.0}) {
        auto [px, py] = pullback(seed);
        CHECK(near(px, seed * dx_want));
        CHECK(near(py, seed * dy_want));
    }

    auto Hv = dyad::hvp(f)(std::tuple{1.5, 2.0}, std::tuple{1.0, 0.0});
    CHECK(near(std::get<0>(Hv), h[0][0]));
    CHECK(near(std::get<1>(Hv), h[1][0]));
    CHECK(near(dyad::hvp(g)(2.0, 3.0), 3 * also)); // one argument: no tuple
    CHECK(near(dyad::jvp(g)(2.0, 3.0).second, 3 * (std::cos(2.0) * 2 + std::sin(2.0))));

    auto F = [](auto x) { return std::array{x[0] * x[1], x[0] + x[1], x[1] * x[1]}; };
    auto J = dyad::jacobian(F)(std::array{1.0, 2.0}); // F returns std::array/tuple: J[i][j]
    CHECK(J == std::array{std::array{2.0, 1.0}, std::array{1.0, 1.0}, std::array{0.0, 4.0}});
    auto T = [](auto x) { return std::tuple{x[0] * x[1], x[0]}; };
    CHECK(dyad::jacobian(T)(std::array{1.0, 2.0}) == std::array{std::array{2.0, 1.0}, std::array{1.0, 0.0}});
}

TEST_CASE("a gradient by several positions is a tuple in order") {
    auto f = [](auto x, auto y, auto z) { return x * y + z * z * z; };
    auto [dx, dz] = dyad::grad<0, 2>(f)(2.0, 3.0, 4.0);
    CHECK(dx == 3.0);
    CHECK(dz == 48.0);
}

TEST_CASE("integers are fine as data") {
    auto f = [](auto x, auto n) { return x * x / n; };
    CHECK(dyad::grad<0>(f)(3.0, 4) == 1.5);
    CHECK(dyad::value_and_grad<0>(f)(3.0, 4).first == 2.25);
}

TEST_CASE("plain loops with a known trip count are ordinary code inside a function") {
    auto f = [](auto x) {
        auto sum = x[0] * 0;
        for (const auto& each : x) sum = sum + each * each;
        for (std::size_t i = 0; i < x.size(); ++i) sum += x[i];
        return sum;
    };
    CHECK(dyad::grad(f)(std::array{1.0, 2.0, 3.0}) == std::array{3.0, 5.0, 7.0});
}

TEST_CASE("every example for eager expressions holds as it stands in the contract") {
    dyad::var<"x"> x{3.0};
    dyad::var<"y"> y{2.0};
    auto z = x * x * y + 1_c;
    CHECK(z.value() == 19.0);
    std::ostringstream out;
    out << z;
    CHECK(out.str() == "19");
    bool branched = false;
    if (z > 10) branched = true;
    CHECK(branched);

    auto dz = dyad::diff(z, x);
    CHECK(dz.value() == 12.0);
    CHECK(dyad::diff<2>(z, x).value() == 4.0);
    CHECK(dyad::diff(z, x, y).value() == 6.0);
    auto [gx, gy] = dyad::gradient(z, x, y);
    CHECK(gx == 12.0);
    CHECK(gy == 9.0);
    auto [value, gradient] = dyad::value_and_gradient(z, x, y);
    CHECK(value == 19.0);
    CHECK(gradient == std::tuple{12.0, 9.0});

    static_assert(dyad::formula(dz) == "2*x*y");
    static_assert(std::is_same_v<decltype(dyad::diff(x * x, x)), decltype(2_c * x)>);
    // What folds to a number is the constant; a float's is a float.
    dyad::var<"w"> w{1.0};
    static_assert(std::is_same_v<decltype(dyad::diff(x * x, w)), decltype(0_c)>);
    static_assert(std::is_same_v<decltype(dyad::diff(x, x)), decltype(1_c)>);
    static_assert(std::is_same_v<decltype(dyad::diff<2>(x * x, x)), decltype(2_c)>);
    static_assert(std::is_same_v<decltype(x - x), decltype(0_c)>);
    dyad::var<"f", float> f{2.0F};
    dyad::var<"l", long double> l{2.0L};
    static_assert(std::is_same_v<decltype(dyad::diff(f, f).value()), float>);
    static_assert(std::is_same_v<decltype(dyad::diff<2>(f * f, f).value()), float>);
    static_assert(std::is_same_v<decltype(dyad::diff(2_c * f, f).value()), float>);
    static_assert(std::is_same_v<decltype(dyad::diff<2>(3_c * f * f + x, f).value()), double>);
    static_assert(std::is_same_v<decltype(dyad::diff(3_c * l, l).value()), long double>);
    static_assert(std::is_same_v<decltype(dyad::diff<2>(l * l, l).value()), long double>);
    static_assert(std::is_same_v<decltype(dyad::diff(x * x, x, x).value()), double>);
    static_assert(std::is_same_v<decltype((dyad::diff(f, f) * x).value()), double>);
    CHECK((dyad::diff<2>(f * f, f) * f + dyad::diff(x, x)).value() == 5);

    x = 4.0;
    CHECK(z.value() == 19.0); // still
    CHECK((x * y).value() == 8.0);

    dyad::var<"x", float> narrow{0.5F};
    CHECK(std::is_same_v<decltype((narrow * 3).value()), float>);
}

TEST_CASE("graphs of expressions and of functions can be printed, drawn and counted") {
    dyad::var<"x"> x{3.0};
    auto z = x * x + 2.5_c;
    auto f = [](auto a, auto b) { return a * b + 2.5; };
    static_assert(dyad::operation_count(dyad::graph_of(z)) == 2);
    static_assert(dyad::operation_count(dyad::graph_of<double, double>(f)) == 2);
    CHECK(dyad::print(dyad::graph_of<double, double>(f)).view().find("return") != std::string::npos);
    CHECK(dyad::to_dot(dyad::graph_of(z)).view().find("digraph") == 0);
}

TEST_CASE("two variables of one name in one expression are an error that names it") {
    dyad::var<"speed"> a{1.5};
    dyad::var<"speed"> b{-0.25};
    try {
        const auto sum = a + b;
        FAIL("no error, but ", sum.value());
    } catch (const dyad::value_error& error) {
        const std::string text = error.what();
        CHECK(text.find("speed") != std::string::npos);
        CHECK(text.find("1.5") != std::string::npos);
        CHECK(text.find("-0.25") != std::string::npos);
    }
}

TEST_CASE("every error is a dyad::error, which is a std::runtime_error") {
    static_assert(std::is_base_of_v<std::runtime_error, dyad::error>);
    static_assert(std::is_base_of_v<dyad::error, dyad::shape_error>);
    static_assert(std::is_base_of_v<dyad::error, dyad::index_error>);
    static_assert(std::is_base_of_v<dyad::error, dyad::tape_error>);
    static_assert(std::is_base_of_v<dyad::error, dyad::device_error>);
    static_assert(std::is_base_of_v<dyad::error, dyad::value_error>);
    CHECK_THROWS_AS(throw dyad::value_error("x"), std::runtime_error);
}

TEST_CASE("every operation of the contract takes traced values, expressions and plain numbers") {
    const auto every = [](auto x) {
        using namespace dyad;
        auto u = x + x - x * x / x + -x;
        auto s = abs(x) + sign(x) + sqrt(x) + cbrt(x) + square(x) + cube(x) + pow(x, x) + pow(x, 2) +
                 hypot(x, x) + exp(x) + exp2(x) + expm1(x) + log(x) + log2(x) + log10(x) + log1p(x);
        auto t = sin(x) + cos(x) + tan(x) + asin(x) + acos(x) + atan(x) + atan2(x, x) + sinh(x) + cosh(x) +
                 tanh(x) + asinh(x) + acosh(1 + x) + atanh(x) + erf(x) + erfc(x) + tgamma(x) + lgamma(x) +
                 digamma(x) + sigmoid(x) + softplus(x) + relu(x);
        auto v = floor(x) + ceil(x) + round(x) + trunc(x) + fmod(x, 2 * x) + copysign(x, x) + min(x, 1) +
                 max(x, 1) + fmin(x, 1) + fmax(x, 1) + clamp(x, 0, 1) + fma(x, x, x);
        auto w = where(x > 0 && x < 1 && x <= 1 && x >= 0 && x != 3 && !(x == 2), x, 2 * x) + logsumexp(x, x, x) +
                 stop_gradient(x) + xlogy(x, x) + sinc(x);
        return u + s + t + v + w;
    };
    dyad::var<"x"> x{0.25};
    const double expected = every(x).value();
    CHECK(expected == expected);
    CHECK(near(every(0.25), expected));
    CHECK(near(dyad::value_and_grad(every)(0.25).first, expected));
    CHECK(near(dyad::diff(every(x), x).value(), dyad::grad(every)(0.25)));
    const double h = 1e-6, up = dyad::jvp(every)(0.25 + h, 0.0).first, down = dyad::jvp(every)(0.25 - h, 0.0).first;
    CHECK(std::abs((up - down) / (2 * h) - 1 - dyad::grad(every)(0.25)) < 1e-6); // stop_gradient(x) has slope 0
}
