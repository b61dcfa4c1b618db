// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The rewrites that make results better than the program as written (log(1 + x), exp(x) - 1, log(1
// + exp(x)), log(exp(x)), sqrt(x x)), where the program as written gives 0, infinity or NaN; the
// look-alikes that must not be rewritten; and number literals of every type beside a traced value.

#include "check.hpp"

namespace dyad_test {

TEST_CASE("log(1 + x) is log1p, written either way round") {
    expect("3 log(1 + 2x)", [](auto x) { return 3 * dyad::log(1 + 2 * x); },
           {{1e-18, 3 * 2e-18, 6.0, -12.0},
            {-1e-18, -3 * 2e-18, 6.0, -12.0},
            {0.0, 0.0, 6.0, -12.0},
            {-0.5, -infinity, infinity}});
    expect("3 log(2x + 1.0)", [](auto x) { return 3 * dyad::log(2 * x + 1.0); },
           {{1e-18, 3 * 2e-18, 6.0, -12.0}});
    expect("3 log(1 - 2x)", [](auto x) { return 3 * dyad::log(1 - 2 * x); },
           {{1e-18, -3 * 2e-18, -6.0, -12.0}, {0.5, -infinity, -infinity}});
    // with another constant it is a plain logarithm
    expect("log(2 + x)", [](auto x) { return dyad::log(2 + x); },
           {{0.0, std::log(2.0), 0.5, -0.25}, {-1.0, 0.0, 1.0, -1.0}});
}

TEST_CASE("exp(x) - 1 is expm1, written either way round") {
    expect("3 (exp(2x) - 1)", [](auto x) { return 3 * (dyad::exp(2 * x) - 1); },
           {{1e-18, 3 * 2e-18, 6.0, 12.0},
            {-1e-18, -3 * 2e-18, 6.0, 12.0},
            {0.0, 0.0, 6.0, 12.0},
            {-infinity, -3.0, 0.0, 0.0}});
    expect("3 (-1.0 + exp(2x))", [](auto x) { return 3 * (-1.0 + dyad::exp(2 * x)); },
           {{1e-18, 3 * 2e-18, 6.0, 12.0}});
    expect("3 (1 - exp(2x))", [](auto x) { return 3 * (1 - dyad::exp(2 * x)); },
           {{1e-18, -3 * 2e-18, -6.0, -12.0}});
    expect("exp(x) - 2", [](auto x) { return dyad::exp(x) - 2; }, {{0.0, -1.0, 1.0, 1.0}});
    expect("exp(x) + 1", [](auto x) { return dyad::exp(x) + 1; }, {{0.0, 2.0, 1.0, 1.0}});
}

TEST_CASE("log(1 + exp(x)) is a softplus that neither overflows nor loses its tail") {
    const auto h = [](auto x) { return 3 * dyad::log(1 + dyad::exp(2 * x)); };
    expect("3 log(1 + exp(2x))", h,
           {{500.0, 3000.0, 6.0, 0.0},
            {-500.0, 0.0, 0.0, 0.0},
            {infinity, infinity, 6.0, 0.0},
            {-infinity, 0.0, 0.0, 0.0}});
    check_same("3 log(1 + exp(2x)) at 500, third derivative", dyad::derivative<3>(h)(500.0), 0.0);
    check_near("log(1 + exp(-40))", dyad::value_and_grad(h)(-20.0).first,
               3 * std::log1p(std::exp(-40.0)), 1e-32);
    expect("log(exp(x) + 1)", [](auto x) { return dyad::log(dyad::exp(x) + 1); },
           {{1000.0, 1000.0, 1.0, 0.0}});
    expect("log1p(exp(x))", [](auto x) { return dyad::log1p(dyad::exp(x)); },
           {{1000.0, 1000.0, 1.0, 0.0}});

    const auto plain = [](auto x) { return dyad::log(1 + dyad::exp(x)); };
    check_same("log(1 + exp(x)) at 100 in float", dyad::value_and_grad(plain)(100.0f).first,
               100.0f);
    check_same("log(1 + exp(x)) at 100 in float, slope", dyad::grad(plain)(100.0f), 1.0f);
    check_same("log(1 + exp(x)) at 100 in float, slope (jvp)",
               dyad::jvp(plain)(100.0f, 1.0f).second, 1.0f);
    check_same("log(1 + exp(x)) at 100 in float, second derivative",
               dyad::derivative<2>(plain)(100.0f), 0.0f);
    check_same("log(1 + exp(x)) at 100 in float, third derivative",
               dyad::derivative<3>(plain)(100.0f), 0.0f);
    check_same("3 log(1 + exp(2x)) at 50 in float", dyad::value_and_grad(h)(50.0f).first, 300.0f);
    check_same("3 log(1 + exp(2x)) at 50 in float, slope", dyad::grad(h)(50.0f), 6.0f);
    check_same("3 log(1 + exp(2x)) at 50 in float, second derivative",
               dyad::derivative<2>(h)(50.0f), 0.0f);
}

TEST_CASE("log(exp(x)) is x") {
    expect("3 log(exp(2x))", [](auto x) { return 3 * dyad::log(dyad::exp(2 * x)); },
           {{400.0, 2400.0, 6.0, 0.0},
            {-400.0, -2400.0, 6.0, 0.0},
            {0.1, 3 * (2 * 0.1), 6.0, 0.0},
            {0.0, 0.0, 6.0, 0.0}});
    check_same("log(exp(800))",
               dyad::value_and_grad([](auto x) { return dyad::log(dyad::exp(x)); })(800.0).first,
               800.0);
    check_same("log(exp(800)), slope",
               dyad::grad([](auto x) { return dyad::log(dyad::exp(x)); })(800.0), 1.0);
    // exp(log(x)) is not x: left of 0 it is NaN, and it stays so or becomes x only where x is
    // positive
    check_near("exp(log(2))",
               dyad::value_and_grad([](auto x) { return dyad::exp(dyad::log(x)); })(2.0).first, 2.0,
               1e-15);
}

TEST_CASE("what looks alike is not rewritten") {
    expect("square(sqrt(x)) at 4", [](auto x) { return dyad::square(dyad::sqrt(x)); },
           {{4.0, 4.0, 1.0, 0.0}});
    expect("sqrt(x x x) at 4", [](auto x) { return dyad::sqrt(x * x * x); },
           {{4.0, 8.0, 3.0, 0.375}});
    const auto shifted = [](auto x) { return dyad::sqrt(x * (x + 2)); };
    check_same("sqrt(x (x + 2)) at 2", dyad::value_and_grad(shifted)(2.0).first, std::sqrt(8.0));
    const auto product = [](auto x, auto y) { return dyad::sqrt(x * y); };
    expect_xy("sqrt(x y)", product, {{4.0, 16.0, 8.0, 1.0, 0.25}});
    check_same("sqrt(x y), both negative", dyad::value_and_grad(product)(-2.0, -8.0).first, 4.0);
    check_same("sqrt(x y), one negative", dyad::value_and_grad(product)(-2.0, 8.0).first,
               quiet_nan);
    // infinity minus infinity is NaN, whatever the two are called
    for (double x : {infinity, -infinity, quiet_nan}) {
        check_same(
            "asinh(x) - sinh(x) at " + digits(x),
            dyad::value_and_grad([](auto u) { return dyad::asinh(u) - dyad::sinh(u); })(x).first,
            quiet_nan);
        check_same(
            "cosh(x) - abs(sinh(x)) at " + digits(x),
            dyad::value_and_grad([](auto u) { return dyad::cosh(u) - dyad::abs(dyad::sinh(u)); })(x)
                .first,
            quiet_nan);
    }
}

TEST_CASE("integer literals divide as real numbers, correctly rounded") {
    const auto third = [](auto x) { return x / 3; };
    for (double x : {1.0, 5.0, 7.0, 0.1, 1e300, -2.0}) {
        check_same("x / 3 at " + digits(x), dyad::value_and_grad(third)(x).first, x / 3.0);
        check_same("x / 3 at " + digits(x) + ", plain", static_cast<double>(third(x)), x / 3.0);
        check_same("x / 10 at " + digits(x),
                   dyad::value_and_grad([](auto u) { return u / 10; })(x).first, x / 10.0);
        check_same("1 / x at " + digits(x),
                   dyad::value_and_grad([](auto u) { return 1 / u; })(x).first, 1 / x);
    }
    expect_plain("x / 3", third, {{5.0, 5.0 / 3.0, 1.0 / 3.0, 0.0}});
    expect_plain("1 / x", [](auto x) { return 1 / x; },
                 {{4.0, 0.25, -0.0625, 0.03125}, {-2.0, -0.5, -0.25, -0.25}});
    expect_plain("7 / 2 x", [](auto x) { return 7 / (2 * x); }, {{0.5, 7.0, -14.0, 56.0}});
}

TEST_CASE("literals of every arithmetic type mix in, on both sides") {
    expect_plain("3u x + 2L - x 1ll", [](auto x) { return 3u * x + 2L - x * 1ll; },
                 {{2.0, 6.0, 2.0, 0.0}});
    expect_plain("0.5f x", [](auto x) { return 0.5f * x; }, {{3.0, 1.5, 0.5, 0.0}});
    expect_plain("x - 1, 1 - x", [](auto x) { return (x - 1) * (1 - x); },
                 {{3.0, -4.0, -4.0, -2.0}});
    expect_plain("short and char",
                 [](auto x) { return x * short{4} / static_cast<signed char>(2); },
                 {{3.0, 6.0, 2.0, 0.0}});
    expect_plain("std::size_t", [](auto x) { return std::size_t{5} * x; }, {{3.0, 15.0, 5.0, 0.0}});
    expect_plain("hypot(x, 4)", [](auto x) { return dyad::hypot(x, 4); },
                 {{3.0, 5.0, 0.6}, {0.0, 4.0, 0.0, 0.25}});
    expect_plain("atan2(x, 4)", [](auto x) { return dyad::atan2(x, 4); }, {{0.0, 0.0, 0.25, 0.0}});
    expect_plain("fmod(7, x)", [](auto x) { return dyad::fmod(7, x); }, {{2.0, 1.0, -3.0, 0.0}});
    expect_plain("max(x, 0), min(1, x)", [](auto x) { return dyad::max(x, 0) + dyad::min(1, x); },
                 {{0.5, 1.0, 2.0, 0.0}, {2.0, 3.0, 1.0, 0.0}});
    expect_plain("fma(x, 2, 1)", [](auto x) { return dyad::fma(x, 2, 1); }, {{3.0, 7.0, 2.0, 0.0}});
    expect_plain("where(x > 1, 2, x)", [](auto x) { return dyad::where(x > 1, 2, x); },
                 {{3.0, 2.0, 0.0, 0.0}, {0.5, 0.5, 1.0, 0.0}});
    // 0.1 is a double, not the nearest float of it, beside a double argument
    check_same("0.1 x at 3", dyad::value_and_grad([](auto x) { return 0.1 * x; })(3.0).first,
               0.1 * 3.0);
}

TEST_CASE("sums of products keep their value and have the factors as slopes") {
    expect_xy("x y + x", [](auto x, auto y) { return 3 * ((2 * x) * (2 * y) + 2 * x); },
              {{1.5, -2.0, -27.0, -18.0, 18.0}, {0.0, 4.0, 0.0, 54.0, 0.0}});
    // no rule may contract x y - x y into an fma of rounding errors: it is 0
    const auto difference = [](auto x, auto y) { return x * y - y * x; };
    check_same("x y - y x", dyad::value_and_grad(difference)(0.1, 0.7).first, 0.0);
    check_same("x y - y x, slope in x", dyad::grad<0>(difference)(0.1, 0.7), 0.0);
    const auto chain = [](auto x) {
        auto sum = x;
        for (int i = 0; i < 10; ++i) sum = sum + x * x;
        return sum;
    };
    expect_plain("x + 10 x x", chain, {{0.5, 3.0, 11.0, 20.0}, {-1.0, 9.0, -19.0, 20.0}});
}

} // namespace dyad_test
