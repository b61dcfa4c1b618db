// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The functions of <cmath> in constant evaluation, for compilers whose <cmath> is not constexpr.
// They compute in long double and round once: a double is right to 0.51 ulp, a long double to a
// few. As in C's Annex F, domain errors are NaN, poles and overflows infinite, and zeros keep their
// sign. A call takes some hundred steps of the compilers' limit, or two thousand for the gamma
// functions.
#pragma once

#include <dyad/op/constant_gamma.hpp>

// (Promoting to long double is the point.)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdouble-promotion"
DYAD_BOTH_SIDES_BEGIN
namespace dyad::constant {

template <std::floating_point T>
constexpr T floor(T x) {
    const T t = trunc(x);
    return t > x ? t - 1 : t;
}
template <std::floating_point T>
constexpr T ceil(T x) {
    return -floor(-x);
}

/// NaN counts as missing, and -0 as less than 0.
template <std::floating_point T>
constexpr T fmin(T x, T y) {
    if (is_nan(x) || is_nan(y)) return is_nan(x) ? y : x;
    return x < y || (x == y && negative(x)) ? x : y;
}
template <std::floating_point T>
constexpr T fmax(T x, T y) {
    return -fmin(-x, -y);
}

template <std::floating_point T>
constexpr T sqrt(T x) {
    if (is_nan(x) || x < 0) return nan<T>;
    return x == infinity<T> ? x : narrow<T>(sqrt_of(x));
}
template <std::floating_point T>
constexpr T cbrt(T x) {
    if (x == 0 || !(fabs(x) < infinity<T>)) return x;
    return copysign(narrow<T>(exp_of(log_of(fabs(x)) / 3)), x);
}
template <std::floating_point T>
constexpr T hypot(T x, T y) {
    if (fabs(x) == infinity<T> || fabs(y) == infinity<T>) return infinity<T>;
    if (is_nan(x) || is_nan(y)) return nan<T>;
    const wide large = fmax(fabs(x), fabs(y));
    if (large == 0) return 0;
    const int n = exponent(large);
    const wide a = ldexp(large, -n);
    const wide b = ldexp(fmin(fabs(x), fabs(y)), -n);
    const twofold root = sqrt_of(product(a, a) + product(b, b));
    return narrow<T>(ldexp(root, n));
}

template <std::floating_point T>
constexpr T exp(T x) {
    return is_nan(x) ? x : narrow<T>(exp_of(x));
}
template <std::floating_point T>
constexpr T exp2(T x) {
    if (is_nan(x)) return x;
    if (fabs(x) > 20000) return x > 0 ? infinity<T> : 0;
    const wide n = round(wide(x));
    return narrow<T>(exp_of(ln2 * (x - n), static_cast<int>(n)));
}
template <std::floating_point T>
constexpr T expm1(T x) {
    if (is_nan(x) || x == 0) return x;
    return x > 100 ? exp(x) : narrow<T>(expm1_of(x));
}

template <std::floating_point T>
constexpr T log(T x, twofold unit = 1) {
    if (is_nan(x) || x < 0) return nan<T>;
    if (x == 0) return -infinity<T>;
    return x == infinity<T> ? x : narrow<T>(log_of(x) / unit);
}
template <std::floating_point T>
constexpr T log2(T x) {
    return log(x, ln2);
}
template <std::floating_point T>
constexpr T log10(T x) {
    return log(x, ln10);
}
template <std::floating_point T>
constexpr T log1p(T x) {
    if (is_nan(x) || x < -1) return nan<T>;
    if (x == -1) return -infinity<T>;
    return x == 0 || x == infinity<T> ? x : narrow<T>(log_of(sum(1, x)));
}

template <std::floating_point T>
constexpr T pow(T x, T y) {
    if (y == 0 || x == 1) return 1;
    if (is_nan(x) || is_nan(y)) return nan<T>;
    const bool whole = trunc(y) == y;
    const bool odd = whole && trunc(y / 2) != y / 2;
    const T sign = odd && negative(x) ? T(-1) : T(1);
    const T size = fabs(x);
    if (size == 1 && fabs(y) == infinity<T>) return 1;
    if (size == 0 || size == infinity<T> || fabs(y) == infinity<T>)
        return copysign((size < 1) == (y < 0) ? infinity<T> : T(0), sign);
    if (x < 0 && !whole) return nan<T>;
    // No logarithm but 0 is below 2⁻⁶⁴, so beyond these bounds every power over- or underflows.
    const wide power = fmax(fmin(wide(y), 0x1p90L), -0x1p90L);
    return copysign(narrow<T>(exp_of(log_of(size) * power)), sign);
}

/// NaN for long doubles beyond the doubles, which are many turns apart.
template <std::floating_point T>
constexpr T sin(T x) {
    if (x == 0) return x;
    return fabs(x) < 0x1p1024L ? narrow<T>(sine_of(turn(x))) : nan<T>;
}
template <std::floating_point T>
constexpr T cos(T x) {
    return fabs(x) < 0x1p1024L ? narrow<T>(sine_of(turn(x, 1))) : nan<T>;
}
template <std::floating_point T>
constexpr T tan(T x) {
    if (x == 0) return x;
    if (!(fabs(x) < 0x1p1024L)) return nan<T>;
    return narrow<T>(sine_of(turn(x)) / sine_of(turn(x, 1)));
}

template <std::floating_point T>
constexpr T asin(T x) {
    if (x == 0) return x;
    if (!(fabs(x) <= 1)) return nan<T>;
    return copysign(narrow<T>(angle_of(fabs(x), sqrt_of(1 - product(x, x)))), x);
}
template <std::floating_point T>
constexpr T acos(T x) {
    if (!(fabs(x) <= 1)) return nan<T>;
    const twofold angle = angle_of(sqrt_of(1 - product(x, x)), fabs(x));
    return narrow<T>(x < 0 ? pi - angle : angle);
}
template <std::floating_point T>
constexpr T atan2(T y, T x) {
    if (is_nan(x) || is_nan(y)) return nan<T>;
    const bool distant = fabs(x) == infinity<T> || fabs(y) == infinity<T>;
    const wide a = distant ? fabs(y) == infinity<T> : fabs(y);
    const wide b = distant ? fabs(x) == infinity<T> : x == 0 && y == 0 ? 1 : fabs(x);
    const twofold angle = angle_of(a, b);
    return copysign(narrow<T>(negative(x) ? pi - angle : angle), y);
}
template <std::floating_point T>
constexpr T atan(T x) {
    return x == 0 || is_nan(x) ? x : atan2(x, T(1));
}

template <std::floating_point T>
constexpr T sinh(T x) {
    if (x == 0 || is_nan(x)) return x;
    const twofold m = fabs(x) < 50 ? expm1_of(fabs(x)) : 0;
    const twofold y = fabs(x) < 50 ? (m + m / (m + 1)) * 0.5L : exp_of(fabs(x), -1);
    return copysign(narrow<T>(y), x);
}
template <std::floating_point T>
constexpr T cosh(T x) {
    if (is_nan(x)) return x;
    const twofold half = exp_of(fabs(x), -1);
    return narrow<T>(fabs(x) < 50 ? half + 0.25L / half : half);
}
template <std::floating_point T>
constexpr T tanh(T x) {
    if (x == 0 || is_nan(x)) return x;
    const twofold m = expm1_of(2 * fmin(wide(fabs(x)), 50.0L));
    return copysign(narrow<T>(m / (m + 2)), x);
}
template <std::floating_point T>
constexpr T asinh(T x) {
    if (x == 0 || !(fabs(x) < infinity<T>)) return x;
    const twofold a = fabs(x);
    if (a.high > 1e12L) return copysign(narrow<T>(log_of(a) + ln2), x);
    const twofold square = a * a;
    return copysign(narrow<T>(log_of(1 + (a + square / (1 + sqrt_of(1 + square))))), x);
}
template <std::floating_point T>
constexpr T acosh(T x) {
    if (!(x >= 1)) return nan<T>;
    if (x > 1e12L) return x == infinity<T> ? x : narrow<T>(log_of(x) + ln2);
    return narrow<T>(log_of(x + sqrt_of(product(x, x) - 1)));
}
template <std::floating_point T>
constexpr T atanh(T x) {
    if (x == 0) return x;
    if (!(fabs(x) < 1)) return fabs(x) == 1 ? copysign(infinity<T>, x) : nan<T>;
    return copysign(narrow<T>(log_of(sum(1, fabs(x)) / sum(1, -fabs(x))) * 0.5L), x);
}

/// Exact, by the subtraction of y 2ⁿ for every n.
template <std::floating_point T>
constexpr T fmod(T x, T y) {
    if (!(fabs(x) < infinity<T>) || is_nan(y) || y == 0) return nan<T>;
    if (fabs(x) < fabs(y)) return x;
    wide rest = fabs(x);
    int n = exponent(rest) - exponent(y);
    wide part = ldexp(fabs(y), n);
    for (; part <= rest / 2; ++n) part *= 2;
    for (; n >= 0; --n, part /= 2) {
        if (rest >= part) rest -= part;
    }
    return copysign(static_cast<T>(rest), x);
}

/// Rounded once for float and double, whose product two long doubles hold without error.
template <std::floating_point T>
constexpr T fma(T x, T y, T z) {
    if (is_nan(x) || is_nan(y) || is_nan(z)) return nan<T>;
    const T sign = negative(x) == negative(y) ? T(1) : T(-1);
    if (fabs(x) == infinity<T> || fabs(y) == infinity<T>) {
        const bool opposite = fabs(z) == infinity<T> && negative(z) != negative(sign);
        return x == 0 || y == 0 || opposite ? nan<T> : copysign(infinity<T>, sign);
    }
    if (fabs(z) == infinity<T>) return z;
    const twofold p = product(x, y);
    const twofold s = sum(p.high, z);
    if (p.low == 0 && s.low == 0) return narrow<T>(s.high);
    const twofold t = sum(s.low, p.low);
    const twofold u = sum(s.high, t.high);
    return narrow<T>({u.high, u.low + t.low});
}

template <std::floating_point T>
constexpr T erf(T x) {
    if (x == 0 || is_nan(x)) return x;
    if (fabs(x) > 7) return copysign(T(1), x);
    return copysign(narrow<T>(fabs(x) < 0.5L ? erf_of(fabs(x)) : 1 - erfc_of(fabs(x))), x);
}
template <std::floating_point T>
constexpr T erfc(T x) {
    if (is_nan(x)) return x;
    if (x < -7 || x > 120) return x < 0 ? 2 : 0;
    if (fabs(x) < 0.5L) return narrow<T>(1 - erf_of(x));
    return narrow<T>(x < 0 ? 2 - erfc_of(-x) : erfc_of(x));
}

/// Poles at 0, of either sign; NaN at the negative whole numbers.
template <std::floating_point T>
constexpr T tgamma(T x) {
    if (x == 0) return copysign(infinity<T>, x);
    if (is_nan(x) || (x < 0 && trunc(x) == x)) return nan<T>;
    if (x > 2000) return infinity<T>;
    if (x > 0) {
        const raised y = raise(x);
        return narrow<T>(exp_of(stirling_of(y.high)) / y.factor);
    }
    const raised y = raise(sum(1, -x)); // Γ(x) Γ(1-x) = π / sin(πx), DLMF 5.5.3
    const twofold sine = sine_of_half_turns(x);
    const T value = narrow<T>(exp_of(-stirling_of(y.high)) * y.factor * pi / sine);
    return copysign(value, negative(sine.high) ? T(-1) : T(1));
}

/// log |Γ(x)|. Between the poles of x < 0 it has zeros; there the error is 1e-18, not relative.
template <std::floating_point T>
constexpr T lgamma(T x) {
    if (is_nan(x)) return x;
    if (fabs(x) == infinity<T> || (x <= 0 && trunc(x) == x)) return infinity<T>;
    if (x > 1e4900L) return x > 1e4928L ? infinity<T> : static_cast<T>(x * (log(wide(x)) - 1));
    if (x > 0) return narrow<T>(log_gamma_of(x));
    const twofold sine = fabs(sine_of_half_turns(x).high);
    return narrow<T>(log_of(pi / sine) - log_gamma_of(sum(1, -x)));
}

} // namespace dyad::constant
DYAD_BOTH_SIDES_END
#pragma GCC diagnostic pop
