// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Values that the standard library lacks, at run time, in constant evaluation and in CUDA kernels:
// the polygamma functions, and the derivatives of the normalised sinc, of every order.
// float computes in double. Literals are double or whole, so that no kernel sees a long double.
#pragma once

#include <concepts>
#include <limits>
#include <numbers>

#include <dyad/base/config.hpp>
#include <dyad/op/constant_math.hpp>
#include <dyad/op/math.hpp>

namespace dyad::special {

/// bⁿ for n >= 0.
template <std::floating_point T>
DYAD_FN constexpr T whole_power(T b, int n) {
    T p = 1;
    for (; n > 0; n /= 2, b *= b) {
        if (n % 2 != 0) p *= b;
    }
    return p;
}

/// n! / bⁿ⁺¹. Factorials up to 20! are exact; constant evaluation may not divide by 0.
template <std::floating_point T>
DYAD_FN constexpr T factorial_over_power(int n, T b) {
    T v = 1;
    if (n <= 20) {
        for (int i = 2; i <= n; ++i) v *= T(i);
        const T power = whole_power(b, n + 1);
        constexpr T infinity = constant::infinity<T>;
        return power == 0 ? math::copysign(infinity, power) : v / power;
    }
    for (int i = 1; i <= n; ++i) v = v * T(i) / b;
    return v / b;
}

template <std::floating_point T>
struct sine_and_cosine {
    T sine, cosine;
};

/// sin(πx) and cos(πx) for x >= 0, exact where they are 0, 1 or -1.
template <std::floating_point T>
DYAD_FN constexpr sine_and_cosine<T> sincos_of_half_turns(T x) {
    if (x > T(4e19)) return {0, 1}; // even numbers all
    const T n = math::round(2 * x);
    const T angle = std::numbers::pi_v<T> * (x - n / 2);
    const T s = math::sin(angle), c = math::cos(angle);
    switch (static_cast<int>(n - 4 * math::floor(n / 4))) {
    case 0:
        return {s, c};
    case 1:
        return {c, -s};
    case 2:
        return {-s, -c};
    default:
        return {-c, s};
    }
}

/// What a value is computed in. (clang compiles at once what a template calls with a type that is not its parameter's.)
template <std::floating_point T>
using at_least_double = std::conditional_t<std::same_as<T, float>, double, T>;

/// The Bernoulli numbers B₂, B₄, ... B₂₀.
template <std::floating_point T>
struct bernoulli {
    static constexpr int count = 10;
    T value[count] = {T(1) / 6,       T(-1) / 30, T(1) / 42,      T(-1) / 30,     T(5) / 66,
                      T(-691) / 2730, T(7) / 6,   T(-3617) / 510, T(43867) / 798, T(-174611) / 330};
};

/// From where on the asymptotic series reaches the precision of T, by trial.
template <std::floating_point T>
DYAD_FN constexpr T asymptotic_from(int n) {
    return std::numeric_limits<T>::digits > 53 ? 13 + T(3) * n / 2 : T(10 + n);
}

/// ψ(x) for x > 0. Where the asymptotic series (DLMF 5.11.2) needs the recurrence (DLMF 5.5.2),
/// each term is taken less its value at the zero x₀ of ψ: a multiple of x - x₀ of nearly always one
/// sign, so that nothing cancels, not even beside x₀.
template <std::floating_point T>
DYAD_FN constexpr T digamma_right(T x) {
    constexpr bernoulli<T> b;
    const T from = asymptotic_from<T>(0);
    if (x >= from) {
        const T q = 1 / x / x;
        T s = 0;
        for (int j = b.count; j > 0; --j) s = (s + b.value[j - 1] / T(2 * j)) * q;
        return math::log(x) - 1 / (2 * x) - s;
    }
    constexpr T zero[] = {T(0x1.762d86356be3fp+0), T(0x1.b86a722197829p-54),
                          T(0x1.e0d62a6be90c7p-109)};
    const T gap = ((x - zero[0]) - zero[1]) - zero[2];
    T s = 0;
    T y = x;
    T y0 = zero[0] + zero[1];
    for (; y < from || y0 < from; y += 1, y0 += 1) s += gap / (y * y0);
    const T p = 1 / (y * y), q = 1 / (y0 * y0);
    T quotient = 1, power = 1; // (qʲ - pʲ) / (q - p) and pʲ⁻¹
    T t = 0;
    for (int j = 1; j <= b.count; ++j) {
        t += b.value[j - 1] / T(2 * j) * quotient;
        power *= p;
        quotient = quotient * q + power;
    }
    return s + (gap / (2 * y * y0) + gap * (y + y0) * p * q * t) + math::log1p(gap / y0);
}

/// ψ⁽ⁿ⁾(x) for x > 0: the recurrence (DLMF 5.15.5) up to the asymptotic series
/// (DLMF 5.15.8 and Abramowitz and Stegun 6.4.11), of positive terms until the series' last.
template <std::floating_point T>
DYAD_FN constexpr T polygamma_right(int n, T x) {
    if (n == 0) return digamma_right(x);
    constexpr bernoulli<T> b;
    T s = 0;
    for (const T from = asymptotic_from<T>(n); x < from; x += 1) s += factorial_over_power(n, x);
    const T q = 1 / x / x;
    T binomial = 1;
    T tail = 0;
    for (int j = 1; j <= b.count; ++j) {
        binomial *= T(2 * j + n - 2) * T(2 * j + n - 1) / T(2 * j * (2 * j - 1)) * q;
        tail += b.value[j - 1] * binomial;
    }
    T series = (1 + (T(n) / (2 * x) + tail)) / x;
    for (int i = 1; i < n; ++i) series = series * T(i) / x;
    return n % 2 == 0 ? -(s + series) : s + series;
}

/// The n-th derivative of cot at an angle of cotangent c, n <= 20, less its sign (-1)ⁿ: the
/// polynomial Q₀ = c, Qₙ₊₁ = (1 + c²) Qₙ', whose powers of c are all odd or all even, so that one
/// array does.
template <std::floating_point T>
DYAD_FN constexpr T cotangent_slope(int n, T c) {
    T a[24] = {0, 1};
    for (int k = 0; k < n; ++k) {
        if (k % 2 == 0) a[0] = a[1];
        for (int j = 2 - k % 2; j <= k + 2; j += 2)
            a[j] = T(j + 1) * a[j + 1] + T(j - 1) * a[j - 1];
    }
    T v = a[n + 1];
    for (int j = n - 1; j >= 0; j -= 2) v = v * (c * c) + a[j];
    return n % 2 == 0 ? v * c : v;
}

/// ψ⁽ⁿ⁾(x), the n-th derivative of the digamma function ψ = Γ'/Γ, for n >= 0:
/// `polygamma(0, 1.0)` is -0.5772156649015329, `polygamma(1, 1.0)` is π²/6.
///
/// At a pole, 0 or a negative whole number, an odd order is inf, its limit from both sides; an even
/// order is NaN, but -inf at 0 and inf at -0. Left of 0 by reflection (DLMF 5.5.4 and 5.15.6);
/// where that cancels, beside the zeros there, the error is relative to the terms and not to the
/// value.
template <std::floating_point T>
DYAD_FN constexpr T polygamma(int n, T x) {
    if constexpr (std::same_as<T, float>) {
        return static_cast<float>(polygamma(n, at_least_double<T>(x)));
    } else {
        constexpr T infinity = constant::infinity<T>;
        constexpr T nan = constant::nan<T>;
        if (x != x) return x;
        if (n < 0) return nan;
        if (x == infinity) return n == 0 ? infinity : 0;
        if (x > 0) return polygamma_right(n, x);
        if (math::floor(x) == x) {
            if (n % 2 != 0 && x > -infinity) return infinity;
            return x == 0 ? math::copysign(infinity, -x) : nan;
        }
        const T sign = n % 2 == 0 ? T(-1) : T(1);
        if (n > 20) { // the poles nearest outweigh all else
            const T pole = math::round(x);
            T s = 0;
            for (int j = pole < -8 ? -8 : static_cast<int>(pole); j <= 8; ++j)
                s += factorial_over_power(n, (x - pole) + T(j));
            return sign * s;
        }
        const T right = polygamma_right(n, 1 - x);
        const T rest = x - math::round(x);
        if (math::abs(rest) > T(0.375)) {
            const auto [s, c] = sincos_of_half_turns(-x);
            const T power = whole_power(std::numbers::pi_v<T>, n + 1);
            return sign * (power * cotangent_slope(n, -c / s) - right);
        }
        // The same at `rest` replaces the cotangent, so that its pole can be set apart.
        const T regular =
            sign * polygamma_right(n, 1 + rest) - (right - polygamma_right(n, 1 - rest));
        return sign * (factorial_over_power(n, rest) + regular);
    }
}

/// The n-th derivative of sin(πx) / (πx) in x, for n >= 0: `sinc(0, 0.5)` is 2/π.
///
/// With t = πx, πⁿ times the derivative of sin(t) / t in t: its power series below t = 1, and
/// beyond, from n derivatives of t s = sin t, the recurrence t sₙ + n sₙ₋₁ = sin⁽ⁿ⁾ t, upwards from
/// s₀ where t is at least n, else downwards from an order so high that its own value no longer
/// matters. The limit at ±inf is 0. At whole x, sin(πx) is exactly 0.
template <std::floating_point T>
DYAD_FN constexpr T sinc(int n, T x) {
    if constexpr (std::same_as<T, float>) {
        return static_cast<float>(sinc(n, at_least_double<T>(x)));
    } else {
        if (x != x) return x;
        if (n < 0) return constant::nan<T>;
        const T size = x < 0 ? -x : x;
        if (size == constant::infinity<T>) return 0;
        const T t = std::numbers::pi_v<T> * size;
        T v = 0;
        if (t < 1) {
            T power = n % 2 == 0 ? T(1) : t; // tⁱ / i!
            for (int i = n % 2; i < 30; i += 2) {
                v += power / T(i + n + 1);
                power *= -t * t / T((i + 1) * (i + 2));
            }
            if ((n + 1) / 2 % 2 != 0) v = 0 - v;
        } else {
            const auto [sine, cosine] = sincos_of_half_turns(size);
            const T slopes[] = {sine, cosine, -sine, -cosine};
            if (t >= T(n)) {
                v = sine / t;
                for (int k = 1; k <= n; ++k) v = (slopes[k % 4] - T(k) * v) / t;
            } else {
                for (int k = 2 * n + 50; k > n; --k) v = (slopes[k % 4] - t * v) / T(k);
            }
        }
        v *= whole_power(std::numbers::pi_v<T>, n);
        return x < 0 && n % 2 != 0 ? -v : v;
    }
}

} // namespace dyad::special
