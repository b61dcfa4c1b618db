// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The oracle is 50-digit arithmetic: Boost's polygamma, and sinc's power series summed there.

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <numbers>
#include <random>
#include <type_traits>

#include <boost/math/special_functions/polygamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <doctest/doctest.h>

#include <dyad/op/special_value.hpp>

namespace {

using dyad::special::polygamma;
using dyad::special::sinc;
using many_digits = boost::multiprecision::cpp_bin_float_50;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Within so many relative roundings, or beside a zero within as many of `scale`.
template <class T>
constexpr bool near(T got, std::type_identity_t<T> want, T roundings = 8, T scale = 0) {
    const T size = want < 0 ? -want : want;
    const T error = got < want ? want - got : got - want;
    return error <= roundings * std::numeric_limits<T>::epsilon() * (size > scale ? size : scale);
}

// Known values

constexpr double pi = std::numbers::pi;
static_assert(near(polygamma(0, 1.0), -0.577215664901532860606512));
static_assert(near(polygamma(0, 1.0L), -0.577215664901532860606512L));
static_assert(near(polygamma(0, 1.0f), -0.577215665f, 0.5f));
static_assert(near(polygamma(0, 0.5), -1.96351002602142347944));
static_assert(near(polygamma(0, 100.0), 4.600161852738087400199));
static_assert(near(polygamma(0, 1e-9), -1000000000.57721566));
static_assert(near(polygamma(0, 1.4616321449683622), -9.241265521729427516792e-17),
              "beside its zero");
static_assert(near(polygamma(0, -0.5), 0.03648997397857652055902));
static_assert(near(polygamma(0, -10.75), -0.7208957601671611740094));
static_assert(near(polygamma(1, 1.0), pi* pi / 6));
static_assert(near(polygamma(1, 0.5), pi* pi / 2));
static_assert(near(polygamma(1, -0.5), pi* pi / 2 + 4));
static_assert(near(polygamma(2, 1.0), -2.40411380631918857080));
static_assert(near(polygamma(3, 1.0), pi* pi* pi* pi / 15));
static_assert(near(polygamma(2, -0.5), -0.8287966442343199955963));
static_assert(near(sinc(0, 0.5), 2 / pi) && near(sinc(0, -0.25), 0.900316316157106052));
static_assert(near(sinc(1, 0.5), -4 / pi) && near(sinc(1, -0.5), 4 / pi));
static_assert(near(sinc(2, 0.0), -pi* pi / 3) && near(sinc(4, 0.0), pi* pi* pi* pi / 5));
static_assert(near(sinc(1, 2.0), 0.5) && near(sinc(1, -3.0), 1.0 / 3) && near(sinc(1, 1e9), 1e-9));
static_assert(near(sinc(1, 1e-300), -pi* pi / 3 * 1e-300) && near(sinc(0, 0.5f), 0.636619772f));
static_assert(sinc(0, 0.0) == 1 && sinc(0, 1e-300) == 1, "smooth at 0");
static_assert(sinc(1, 0.0) == 0 && !dyad::constant::negative(sinc(1, 0.0)) && sinc(3, -0.0) == 0);
static_assert(sinc(0, 1.0) == 0 && sinc(0, -7.0) == 0 && sinc(0, 1e300) == 0, "exact zeros");

// Poles, infinities and NaN

constexpr bool is_nan(double x) {
    return x != x;
}
static_assert(polygamma(0, 0.0) == -inf && polygamma(0, -0.0) == inf);
static_assert(is_nan(polygamma(0, -1.0)) && is_nan(polygamma(2, -4.0)) &&
              is_nan(polygamma(1, -inf)));
static_assert(polygamma(1, 0.0) == inf && polygamma(1, -0.0) == inf && polygamma(3, -2.0) == inf);
static_assert(polygamma(2, 0.0) == -inf && polygamma(2, -0.0) == inf);
static_assert(polygamma(0, inf) == inf && polygamma(1, inf) == 0 && polygamma(6, inf) == 0);
static_assert(polygamma(1, 1e-200) == inf && polygamma(2, 1e-200) == -inf);
static_assert(is_nan(polygamma(0, nan)) && is_nan(polygamma(5, nan)) && is_nan(sinc(2, nan)));
static_assert(sinc(0, inf) == 0 && sinc(3, -inf) == 0);

std::mt19937_64 generator(2024);

double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(generator);
}

/// A number with all the digits of T.
template <class T>
T draw(double from, double to) {
    return static_cast<T>(uniform(from, to)) + static_cast<T>(uniform(-0x1p-53, 0x1p-53));
}

template <class T>
T exact_polygamma(int n, T x) {
    return static_cast<T>(boost::math::polygamma(n, many_digits(x)));
}

/// Σ ± tⁱ / (i! (i + n + 1)), i = n, n + 2, ... modulo 2; the terms' 17 digits before the point are
/// lost for the largest t below.
template <class T>
T exact_sinc(int n, T x) {
    const many_digits turn = boost::math::constants::pi<many_digits>();
    const many_digits t = turn * x;
    many_digits term = n % 2 == 0 ? many_digits(1) : t;
    if ((n + 1) / 2 % 2 != 0) term = -term;
    many_digits s = 0;
    for (int i = n % 2; i < 250; i += 2) {
        s += term / (i + n + 1);
        term *= -t * t / ((i + 1) * (i + 2));
    }
    return static_cast<T>(s * pow(turn, n));
}

} // namespace

TEST_CASE_TEMPLATE("polygamma of positive numbers is within 8 roundings of Boost's", T, double,
                   long double) {
    for (int n = 0; n <= 6; ++n) {
        CAPTURE(n);
        for (int i = 0; i < 200; ++i) {
            const T near_zero =
                T(1.4616321449683622) + draw<T>(-1, 1) * T(std::exp2(uniform(-40, 0)));
            for (const T x : {draw<T>(1e-9, 4), draw<T>(0, 40), near_zero,
                              static_cast<T>(std::exp2(uniform(-40, 40)))}) {
                CAPTURE(x);
                CHECK(near(polygamma(n, x), exact_polygamma(n, x)));
            }
        }
    }
}

TEST_CASE_TEMPLATE("polygamma of negative numbers is within 8 roundings, of 1 beside its zeros", T,
                   double, long double) {
    for (int n = 0; n <= 6; ++n) {
        CAPTURE(n);
        for (int i = 0; i < 200; ++i) {
            const T near_pole = std::round(draw<T>(-20, 0)) + draw<T>(-0.01, -0.001);
            for (const T x : {draw<T>(-4, 0), draw<T>(-60, 0), near_pole}) {
                CAPTURE(x);
                CHECK(near(polygamma(n, x), exact_polygamma(n, x), T(8), T(1)));
            }
        }
    }
}

TEST_CASE("polygamma of high order keeps most digits") {
    for (const int n : {10, 20, 21, 30, 60}) {
        CAPTURE(n);
        for (int i = 0; i < 50; ++i) {
            const double x = uniform(0.1, 40);
            CAPTURE(x);
            CHECK(near(polygamma(n, x), exact_polygamma(n, x), 40.0));
        }
    }
    for (const int n : {9, 13, 19, 21, 31}) { // of odd order nothing cancels
        CAPTURE(n);
        for (int i = 0; i < 50; ++i) {
            const double x = uniform(-30, 0);
            CAPTURE(x);
            CHECK(near(polygamma(n, x), exact_polygamma(n, x), 40.0));
        }
    }
}

TEST_CASE_TEMPLATE("derivatives of sinc are within 10 roundings of their size", T, double,
                   long double) {
    for (int n = 0; n <= 20; ++n) {
        CAPTURE(n);
        const T steepest = std::pow(std::numbers::pi_v<T>, T(n)) / T(n + 1);
        for (int i = 0; i < 100; ++i) {
            for (const T x : {draw<T>(-1, 1), draw<T>(-12, 12)}) {
                CAPTURE(x);
                const T scale = steepest * std::min(T(1), T(n + 1) / (4 * std::abs(x)));
                CHECK(near(sinc(n, x), exact_sinc(n, x), T(10), scale));
            }
        }
    }
}

TEST_CASE("derivatives of sinc agree with the quotient rule far from 0") {
    for (int i = 0; i < 200; ++i) {
        const double x = std::exp2(uniform(4, 40));
        CAPTURE(x);
        const double s = std::sin(pi * std::fmod(x, 2)), c = std::cos(pi * std::fmod(x, 2));
        CHECK(near(sinc(0, x), s / (pi * x), 8.0, 1 / x));
        CHECK(near(sinc(1, x), (c - s / (pi * x)) / x, 8.0, 4 / x));
        CHECK(near(sinc(2, x), -pi * s / x - 2 * (c - s / (pi * x)) / (x * x), 8.0, 16 / x));
    }
}

TEST_CASE("float is the double, rounded once") {
    for (int i = 0; i < 200; ++i) {
        const auto x = static_cast<float>(uniform(-8, 8));
        for (int n = 0; n < 7; ++n) {
            CHECK(polygamma(n, x) == static_cast<float>(polygamma(n, static_cast<double>(x))));
            CHECK(sinc(n, x) == static_cast<float>(sinc(n, static_cast<double>(x))));
        }
    }
}
TEST_CASE("an order below 0 is no derivative: NaN") {
    for (const double x : {-2.5, -1.0, 0.0, 0.25, 3.0, inf, -inf}) {
        CHECK(std::isnan(polygamma(-1, x)));
        CHECK(std::isnan(sinc(-2, x)));
        CHECK(std::isnan(polygamma(-3, static_cast<float>(x))));
    }
}
