// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// What the tests of operations share: comparison that says op, point, order, expected and got with
// all digits, and `expect`, which asks every road to a number (plain call, value_and_grad, grad,
// derivative, jvp, vjp, grad of grad) for the same exact answer.
#pragma once

#include <dyad/core.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

namespace dyad_test {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();

inline std::string digits(long double value) {
    char text[64];
    std::snprintf(text, sizeof text, "%.21Lg", value);
    return text;
}
inline std::string digits(double value) {
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}
inline std::string digits(float value) {
    char text[64];
    std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
    return text;
}

/// Equal, or both NaN. The sign of a zero does not count.
template <class T>
constexpr bool same(T got, T want) {
    return got == want || (got != got && want != want);
}

template <class T>
void check_same(const std::string& what, T got, T want) {
    CHECK_MESSAGE(same(got, want), what, ": expected ", digits(want), ", got ", digits(got));
}

/// |got - want| <= allowed; a NaN or an unexpected infinity never passes.
template <class T>
void check_near(const std::string& what, T got, T want, T allowed) {
    const T error = got > want ? got - want : want - got;
    CHECK_MESSAGE(bool(got == want || error <= allowed), what, ": expected ", digits(want),
                  ", got ", digits(got), ", error ", digits(error), " of ", digits(allowed),
                  " allowed");
}

/// One point of an operation of one argument. `second` is left out where it is not defined.
struct edge {
    double x, value, slope;
    std::optional<double> second = std::nullopt;
};

/// f: a stateless function of one argument. Every derivative road gives exactly the value, slope
/// and second derivative.
template <class F>
void expect(const char* op, F f, std::initializer_list<edge> points) {
    for (const edge& at : points) {
        const std::string where = std::string(op) + " at " + digits(at.x);
        const auto [value, slope] = dyad::value_and_grad(f)(at.x);
        check_same(where + ", value (value_and_grad)", value, at.value);
        check_same(where + ", slope (value_and_grad)", slope, at.slope);
        check_same(where + ", slope (grad)", dyad::grad(f)(at.x), at.slope);
        const auto [forward_value, tangent] = dyad::jvp(f)(at.x, 1.0);
        check_same(where + ", value (jvp)", forward_value, at.value);
        check_same(where + ", slope (jvp)", tangent, at.slope);
        const auto [reverse_value, pullback] = dyad::vjp(f)(at.x);
        check_same(where + ", value (vjp)", reverse_value, at.value);
        check_same(where + ", slope (vjp)", static_cast<double>(pullback(1.0)), at.slope);
        if (at.second) {
            check_same(where + ", second derivative (derivative<2>)", dyad::derivative<2>(f)(at.x),
                       *at.second);
            check_same(where + ", second derivative (grad of grad)",
                       dyad::grad(dyad::grad(f))(at.x), *at.second);
            check_same(where + ", second derivative (jvp of grad)",
                       dyad::jvp(dyad::grad(f))(at.x, 1.0).second, *at.second);
        }
    }
}

/// The same through plain numbers: f(double) is the function, not only its traced graph.
template <class F>
void expect_plain(const char* op, F f, std::initializer_list<edge> points) {
    for (const edge& at : points)
        check_same(std::string(op) + " at " + digits(at.x) + ", plain call",
                   static_cast<double>(f(at.x)), at.value);
    expect(op, f, points);
}

/// One point of an operation of two arguments.
struct edge_xy {
    double x, y, value, slope_x, slope_y;
};

/// f: a stateless function of two arguments.
template <class F>
void expect_xy(const char* op, F f, std::initializer_list<edge_xy> points) {
    for (const edge_xy& at : points) {
        const std::string where =
            std::string(op) + " at (" + digits(at.x) + ", " + digits(at.y) + ")";
        const auto [value, gradient] = dyad::value_and_grad(f)(at.x, at.y);
        check_same(where + ", value (value_and_grad)", value, at.value);
        check_same(where + ", slope in x (value_and_grad)", std::get<0>(gradient), at.slope_x);
        check_same(where + ", slope in y (value_and_grad)", std::get<1>(gradient), at.slope_y);
        check_same(where + ", slope in x (grad<0>)", dyad::grad<0>(f)(at.x, at.y), at.slope_x);
        check_same(where + ", slope in y (grad<1>)", dyad::grad<1>(f)(at.x, at.y), at.slope_y);
        const std::tuple point{at.x, at.y};
        const auto [forward_value, tangent_x] = dyad::jvp(f)(point, std::tuple{1.0, 0.0});
        check_same(where + ", value (jvp)", forward_value, at.value);
        check_same(where + ", slope in x (jvp)", tangent_x, at.slope_x);
        check_same(where + ", slope in y (jvp)", dyad::jvp(f)(point, std::tuple{0.0, 1.0}).second,
                   at.slope_y);
        const auto [reverse_value, pullback] = dyad::vjp(f)(at.x, at.y);
        const auto cotangents = pullback(1.0);
        check_same(where + ", value (vjp)", reverse_value, at.value);
        check_same(where + ", slope in x (vjp)", std::get<0>(cotangents), at.slope_x);
        check_same(where + ", slope in y (vjp)", std::get<1>(cotangents), at.slope_y);
    }
}

} // namespace dyad_test
