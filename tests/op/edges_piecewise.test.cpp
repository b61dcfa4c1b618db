// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Operations made of pieces (abs, sign, relu, max, min, fmax, fmin, clamp, copysign, floor, ceil,
// round, trunc, fmod, stop_gradient) at their kinks, jumps and ties, at signed zeros, infinities
// and NaN: the conventions, exactly, in forward, reverse and second order.

#include "check.hpp"

namespace dyad_test {

namespace {

constexpr auto triple_abs = [](auto x) { return 3 * dyad::abs(2 * x); };
constexpr auto triple_relu = [](auto x) { return 3 * dyad::relu(2 * x); };
constexpr auto triple_sign = [](auto x) { return 3 * dyad::sign(2 * x); };
constexpr auto triple_max = [](auto x, auto y) { return 3 * dyad::max(2 * x, 2 * y); };
constexpr auto triple_min = [](auto x, auto y) { return 3 * dyad::min(2 * x, 2 * y); };
constexpr auto triple_clamp = [](auto x) { return 3 * dyad::clamp(2 * x, -1, 4); };

// none of these needs the standard library, so the compiler itself can check the conventions
static_assert(dyad::grad(triple_abs)(0.0) == 0.0 && dyad::grad(triple_abs)(-1.5) == -6.0);
static_assert(dyad::derivative<2>(triple_abs)(0.0) == 0.0);
static_assert(dyad::grad(triple_relu)(0.0) == 0.0 && dyad::grad(triple_relu)(1.5) == 6.0);
static_assert(dyad::grad(triple_sign)(0.0) == 0.0);
static_assert(dyad::grad<0>(triple_max)(1.0, 1.0) == 3.0 &&
              dyad::grad<1>(triple_max)(1.0, 1.0) == 3.0);
static_assert(dyad::grad<0>(triple_min)(1.0, 2.0) == 6.0 &&
              dyad::grad<1>(triple_min)(1.0, 2.0) == 0.0);
static_assert(dyad::grad(triple_clamp)(2.0) == 3.0 && dyad::grad(triple_clamp)(1.0) == 6.0);

} // namespace

TEST_CASE("abs has slope 0 at both zeros and the sign of its argument elsewhere") {
    expect_plain("abs", triple_abs,
                 {{0.0, 0.0, 0.0, 0.0},
                  {-0.0, 0.0, 0.0, 0.0},
                  {1.5, 9.0, 6.0, 0.0},
                  {-1.5, 9.0, -6.0, 0.0},
                  {5e-324, 3e-323, 6.0, 0.0},
                  {-5e-324, 3e-323, -6.0, 0.0},
                  {infinity, infinity, 6.0, 0.0},
                  {-infinity, infinity, -6.0, 0.0}});
    CHECK_FALSE(
        std::signbit(dyad::value_and_grad([](auto x) { return dyad::abs(x); })(-0.0).first));
    check_same("abs of NaN", dyad::value_and_grad(triple_abs)(quiet_nan).first, quiet_nan);
    check_same("abs at 0, third derivative", dyad::derivative<3>(triple_abs)(0.0), 0.0);
}

TEST_CASE("sign has slope 0 everywhere, and keeps NaN") {
    expect_plain("sign", triple_sign,
                 {{0.0, 0.0, 0.0, 0.0},
                  {-0.0, 0.0, 0.0, 0.0},
                  {1e-300, 3.0, 0.0, 0.0},
                  {-7.0, -3.0, 0.0, 0.0},
                  {infinity, 3.0, 0.0, 0.0},
                  {-infinity, -3.0, 0.0, 0.0},
                  {quiet_nan, quiet_nan, 0.0, 0.0}});
}

TEST_CASE("relu has slope 0 at 0") {
    expect_plain("relu", triple_relu,
                 {{0.0, 0.0, 0.0, 0.0},
                  {-0.0, 0.0, 0.0, 0.0},
                  {1.5, 9.0, 6.0, 0.0},
                  {-1.5, 0.0, 0.0, 0.0},
                  {5e-324, 3e-323, 6.0, 0.0},
                  {infinity, infinity, 6.0, 0.0},
                  {-infinity, 0.0, 0.0, 0.0}});
}

TEST_CASE("max and min give a tie one half each") {
    expect_xy("max", triple_max,
              {{1.0, 2.0, 12.0, 0.0, 6.0},
               {2.0, 1.0, 12.0, 6.0, 0.0},
               {1.5, 1.5, 9.0, 3.0, 3.0},
               {0.0, -0.0, 0.0, 3.0, 3.0},
               {-0.0, 0.0, 0.0, 3.0, 3.0},
               {infinity, 1.0, infinity, 6.0, 0.0},
               {1.0, -infinity, 6.0, 6.0, 0.0},
               {-infinity, -infinity, -infinity, 3.0, 3.0}});
    expect_xy("min", triple_min,
              {{1.0, 2.0, 6.0, 6.0, 0.0},
               {2.0, 1.0, 6.0, 0.0, 6.0},
               {1.5, 1.5, 9.0, 3.0, 3.0},
               {0.0, -0.0, 0.0, 3.0, 3.0},
               {-0.0, 0.0, 0.0, 3.0, 3.0},
               {infinity, 1.0, 6.0, 0.0, 6.0},
               {-infinity, 1.0, -infinity, 6.0, 0.0},
               {infinity, infinity, infinity, 3.0, 3.0}});
    const auto hessian = dyad::hessian(triple_max)(1.5, 1.5);
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j)
            check_same("max at a tie, second derivative", hessian[i][j], 0.0);
}

TEST_CASE("a tie with a constant gives the variable one half") {
    expect_plain("max(., 2)", [](auto x) { return 3 * dyad::max(2 * x, 2); },
                 {{1.0, 6.0, 3.0, 0.0}, {0.5, 6.0, 0.0, 0.0}, {1.5, 9.0, 6.0, 0.0}});
    expect_plain("min(2, .)", [](auto x) { return 3 * dyad::min(2, 2 * x); },
                 {{1.0, 6.0, 3.0, 0.0}, {0.5, 3.0, 6.0, 0.0}, {1.5, 6.0, 0.0, 0.0}});
    // both halves go to the same argument: the slope is whole
    expect_plain("max(u, u)", [](auto x) { return 3 * dyad::max(2 * x, 2 * x); },
                 {{1.5, 9.0, 6.0, 0.0}, {0.0, 0.0, 6.0, 0.0}});
    // the tie of x x and x at 1 is one half of 2 and one half of 1
    expect_plain("max(x x, x)", [](auto x) { return dyad::max(x * x, x); },
                 {{1.0, 1.0, 1.5, 1.0}, {2.0, 4.0, 4.0, 2.0}, {0.5, 0.5, 1.0, 0.0}});
}

TEST_CASE("max and min keep a NaN on either side") {
    for (double other : {1.0, -infinity, infinity}) {
        check_same("max(NaN, " + digits(other) + ")",
                   dyad::value_and_grad(triple_max)(quiet_nan, other).first, quiet_nan);
        check_same("max(" + digits(other) + ", NaN)",
                   dyad::value_and_grad(triple_max)(other, quiet_nan).first, quiet_nan);
        check_same("min(NaN, " + digits(other) + ")",
                   dyad::value_and_grad(triple_min)(quiet_nan, other).first, quiet_nan);
        check_same("min(" + digits(other) + ", NaN)",
                   dyad::value_and_grad(triple_min)(other, quiet_nan).first, quiet_nan);
    }
}

TEST_CASE("fmax and fmin pass over a NaN and give the number the whole slope") {
    const auto larger = [](auto x, auto y) { return 3 * dyad::fmax(2 * x, 2 * y); };
    const auto smaller = [](auto x, auto y) { return 3 * dyad::fmin(2 * x, 2 * y); };
    expect_xy("fmax", larger,
              {{1.5, quiet_nan, 9.0, 6.0, 0.0},
               {quiet_nan, 1.5, 9.0, 0.0, 6.0},
               {1.0, 2.0, 12.0, 0.0, 6.0},
               {2.0, 1.0, 12.0, 6.0, 0.0},
               {1.5, 1.5, 9.0, 3.0, 3.0},
               {-infinity, quiet_nan, -infinity, 6.0, 0.0}});
    expect_xy("fmin", smaller,
              {{1.5, quiet_nan, 9.0, 6.0, 0.0},
               {quiet_nan, 1.5, 9.0, 0.0, 6.0},
               {1.0, 2.0, 6.0, 6.0, 0.0},
               {2.0, 1.0, 6.0, 0.0, 6.0},
               {1.5, 1.5, 9.0, 3.0, 3.0},
               {infinity, quiet_nan, infinity, 6.0, 0.0}});
    expect_plain("fmax(., NaN)", [](auto x) { return 3 * dyad::fmax(2 * x, quiet_nan); },
                 {{1.5, 9.0, 6.0, 0.0}});
    check_same("fmax(NaN, NaN)", dyad::value_and_grad(larger)(quiet_nan, quiet_nan).first,
               quiet_nan);
    check_same("fmin(NaN, NaN)", dyad::value_and_grad(smaller)(quiet_nan, quiet_nan).first,
               quiet_nan);
}

TEST_CASE("clamp is max and min: one half at its edges") {
    expect_plain("clamp(., -1, 4)", triple_clamp,
                 {{0.5, 3.0, 6.0, 0.0},
                  {-0.5, -3.0, 3.0, 0.0},
                  {2.0, 12.0, 3.0, 0.0},
                  {-3.0, -3.0, 0.0, 0.0},
                  {3.0, 12.0, 0.0, 0.0},
                  {infinity, 12.0, 0.0, 0.0},
                  {-infinity, -3.0, 0.0, 0.0}});
    const auto bounds = [](auto x, auto low, auto high) {
        return 3 * dyad::clamp(2 * x, 2 * low, 2 * high);
    };
    const auto at_low = dyad::grad(bounds)(-1.0, -1.0, 4.0);
    check_same("clamp on its lower bound, slope in x", std::get<0>(at_low), 3.0);
    check_same("clamp on its lower bound, slope in the bound", std::get<1>(at_low), 3.0);
    check_same("clamp on its lower bound, slope in the other", std::get<2>(at_low), 0.0);
    const auto at_high = dyad::grad(bounds)(4.0, -1.0, 4.0);
    check_same("clamp on its upper bound, slope in x", std::get<0>(at_high), 3.0);
    check_same("clamp on its upper bound, slope in the other", std::get<1>(at_high), 0.0);
    check_same("clamp on its upper bound, slope in the bound", std::get<2>(at_high), 3.0);
    // Whatever is equal, the slopes are those of max and min, and sum up to 1.
    const auto composed = [](auto x, auto low, auto high) { return 3 * min(max(2 * x, 2 * low), 2 * high); };
    for (const double x : {-1.0, 0.5, 2.0}) {
        for (const double low : {-1.0, 0.5}) {
            for (const double high : {0.5, 2.0}) CHECK(dyad::grad(bounds)(x, low, high) == dyad::grad(composed)(x, low, high));
        }
    }
}

TEST_CASE("floor, ceil, round and trunc have slope 0 everywhere, and keep NaN and infinity") {
    const auto slope_free = [](const char* op, auto f,
                               std::initializer_list<std::pair<double, double>> points) {
        for (auto [x, value] : points) expect_plain(op, f, {{x, value, 0.0, 0.0}});
        for (double x : {infinity, -infinity, quiet_nan}) expect_plain(op, f, {{x, x, 0.0, 0.0}});
    };
    slope_free("floor", [](auto x) { return 3 * dyad::floor(2 * x); },
               {{1.25, 6.0}, {-1.25, -9.0}, {1.0, 6.0}, {0.0, 0.0}, {-0.1, -3.0}, {1e300, 6e300}});
    slope_free("ceil", [](auto x) { return 3 * dyad::ceil(2 * x); },
               {{1.25, 9.0}, {-1.25, -6.0}, {1.0, 6.0}, {0.0, 0.0}, {0.1, 3.0}, {1e300, 6e300}});
    slope_free("round",
               [](auto x) {
                   return 3 * dyad::round(2 * x);
               }, // halves away from zero, as in the standard library
               {{1.25, 9.0},
                {-1.25, -9.0},
                {0.25, 3.0},
                {-0.25, -3.0},
                {0.24, 0.0},
                {0.24999999999999997, 0.0},
                {0.0, 0.0}});
    slope_free("trunc", [](auto x) { return 3 * dyad::trunc(2 * x); },
               {{1.25, 6.0},
                {-1.25, -6.0},
                {0.45, 0.0},
                {-0.45, 0.0},
                {1.0, 6.0},
                {0.0, 0.0},
                {-1e300, -6e300}});
    CHECK(std::signbit(dyad::value_and_grad([](auto x) { return dyad::ceil(x); })(-0.5).first));
    // the jump is not a slope: x floor(x) has slope floor(x), even on an integer
    expect_plain("x floor(x)", [](auto x) { return x * dyad::floor(x); },
                 {{2.5, 5.0, 2.0, 0.0}, {3.0, 9.0, 3.0, 0.0}});
}

TEST_CASE("copysign has the slope of abs times the sign it takes") {
    expect_xy("copysign", [](auto x, auto y) { return 3 * dyad::copysign(2 * x, 2 * y); },
              {{1.5, 2.0, 9.0, 6.0, 0.0},
               {1.5, -2.0, -9.0, -6.0, 0.0},
               {-1.5, 2.0, 9.0, -6.0, 0.0},
               {-1.5, -2.0, -9.0, 6.0, 0.0},
               {1.5, 0.0, 9.0, 6.0, 0.0},
               {1.5, -0.0, -9.0, -6.0, 0.0},
               {infinity, -1.0, -infinity, -6.0, 0.0},
               {1.5, -infinity, -9.0, -6.0, 0.0}});
    expect_plain("copysign(., -1)", [](auto x) { return 3 * dyad::copysign(2 * x, -1); },
                 {{1.5, -9.0, -6.0, 0.0}, {-1.5, -9.0, 6.0, 0.0}});
}

TEST_CASE("fmod is exact, with slope 1 and minus the whole quotient") {
    expect_xy("fmod", [](auto x, auto y) { return 3 * dyad::fmod(2 * x, 2 * y); },
              {{6.0, 3.0, 0.0, 6.0, -12.0},
               {7.5, 2.0, 9.0, 6.0, -18.0},
               {-7.5, 2.0, -9.0, 6.0, 18.0},
               {7.5, -2.0, 9.0, 6.0, 18.0},
               {0.0, 2.0, 0.0, 6.0, 0.0},
               {1.5, infinity, 9.0, 6.0, 0.0}});
    expect_plain("fmod(., 2)", [](auto x) { return 3 * dyad::fmod(2 * x, 2); },
                 {{3.75, 4.5, 6.0, 0.0}, {1.0, 0.0, 6.0, 0.0}});
    const auto h = [](auto x, auto y) { return 3 * dyad::fmod(2 * x, 2 * y); };
    check_same("fmod(1, 0)", dyad::value_and_grad(h)(1.0, 0.0).first, quiet_nan);
    check_same("fmod(inf, 1)", dyad::value_and_grad(h)(infinity, 1.0).first, quiet_nan);
}

TEST_CASE("stop_gradient passes the value and stops every derivative") {
    expect_plain("stop_gradient", [](auto x) { return 3 * dyad::stop_gradient(2 * x); },
                 {{1.5, 9.0, 0.0, 0.0},
                  {0.0, 0.0, 0.0, 0.0},
                  {infinity, infinity, 0.0, 0.0},
                  {quiet_nan, quiet_nan, 0.0, 0.0}});
    // x stop_gradient(x): one factor counts, in second order none
    expect_plain("u stop_gradient(u)",
                 [](auto x) { return 3 * ((2 * x) * dyad::stop_gradient(2 * x)); },
                 {{1.5, 27.0, 18.0, 0.0}, {-2.0, 48.0, -24.0, 0.0}});
    // nothing of the infinite slope behind it comes through
    expect_plain("x + stop_gradient(sqrt(x))",
                 [](auto x) { return x + dyad::stop_gradient(dyad::sqrt(x)); },
                 {{0.0, 0.0, 1.0, 0.0}, {4.0, 6.0, 1.0, 0.0}});
    // the same subexpression in and out of stop_gradient must not be merged
    expect_plain("exp(x) - stop_gradient(exp(x))",
                 [](auto x) { return dyad::exp(x) - dyad::stop_gradient(dyad::exp(x)); },
                 {{0.0, 0.0, 1.0, 1.0}});
}

} // namespace dyad_test
