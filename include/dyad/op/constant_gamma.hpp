// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What the constexpr functions of <cmath> are made of, from the exponential to the gamma function:
// each takes a number inside its stated domain and gives the value as an unevaluated sum of two
// long doubles, good to about 67 bits (x87's 64-bit mantissa) so that it can be rounded once,
// later. No step overflows or makes a NaN on the way: constant evaluation rejects both.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>

#include <dyad/base/config.hpp>

// (Promoting to long double is the point.)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdouble-promotion"
DYAD_BOTH_SIDES_BEGIN
namespace dyad::constant {

using wide = long double;
template <std::floating_point T>
inline constexpr T infinity = static_cast<T>(__builtin_bit_cast(double, 0x7ff0000000000000U)); // (by its name, clang warns of it under -ffast-math)
template <std::floating_point T>
inline constexpr T nan = std::numeric_limits<T>::quiet_NaN();

template <std::floating_point T>
constexpr bool is_nan(T x) {
    return x != x;
}

/// The sign bit; the cast keeps that of a zero, which no comparison sees.
template <std::floating_point T>
constexpr bool negative(T x) {
    return x < 0 || (!(x > 0) && std::bit_cast<std::int64_t>(static_cast<double>(x)) < 0);
}
template <std::floating_point T>
constexpr T fabs(T x) {
    return negative(x) ? -x : x;
}
template <std::floating_point T>
constexpr T copysign(T x, T sign) {
    return negative(x) == negative(sign) ? x : -x;
}

template <std::floating_point T>
constexpr T trunc(T x) {
    const bool whole = !(fabs(x) < 0x1p63L); // NaN and infinity too
    return whole ? x : copysign(static_cast<T>(static_cast<std::int64_t>(x)), x);
}
template <std::floating_point T>
constexpr T round(T x) {
    const T t = trunc(x);
    return fabs(x) < infinity<T> && fabs(x - t) >= T(0.5) ? t + copysign(T(1), x) : t;
}

/// x 2ⁿ
constexpr wide ldexp(wide x, int n) {
    constexpr int most = std::numeric_limits<wide>::max_exponent / 2;
    if (n > most) return ldexp(ldexp(x, most), n - most);
    if (n < -most) return ldexp(ldexp(x, -most), n + most);
    wide factor = n < 0 ? 0.5L : 2.0L;
    for (int rest = n < 0 ? -n : n; rest != 0; rest /= 2) {
        if (rest % 2 != 0) x *= factor;
        if (rest > 1) factor *= factor;
    }
    return x;
}

/// The n that brings |x| 2⁻ⁿ into [1, 2], for finite x != 0.
constexpr int exponent(wide x) {
    int n = 0;
    for (x = fabs(x); x > 0x1p1000L; n += 1000) x *= 0x1p-1000L;
    for (; x < 0x1p-1000L; n -= 1000) x *= 0x1p1000L;
    return n + static_cast<int>(std::bit_cast<std::uint64_t>(static_cast<double>(x)) >> 52) - 1023;
}

/// The unevaluated sum of a number and its rounding error.
struct twofold {
    wide high = 0;
    wide low = 0;

    constexpr twofold() = default;
    constexpr explicit(false) twofold(wide h, wide l = 0) : high(h), low(l) {}
};

/// a + b without error (Knuth, The Art of Computer Programming 2, section 4.2.2).
constexpr twofold sum(wide a, wide b) {
    const wide s = a + b;
    const wide t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}

/// a b without error (Dekker, Numerische Mathematik 18, 1971).
constexpr twofold product(wide a, wide b) {
    constexpr wide splitter = 1 + (std::uint64_t{1} << (std::numeric_limits<wide>::digits + 1) / 2);
    const wide p = a * b;
    const wide s = splitter * a;
    const wide t = splitter * b;
    const wide a1 = s - (s - a);
    const wide b1 = t - (t - b);
    const wide a2 = a - a1;
    const wide b2 = b - b1;
    return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

constexpr twofold operator-(twofold a) {
    return {-a.high, -a.low};
}
constexpr twofold operator+(twofold a, twofold b) {
    const twofold s = sum(a.high, b.high);
    return sum(s.high, s.low + (a.low + b.low));
}
constexpr twofold operator-(twofold a, twofold b) {
    return a + -b;
}
constexpr twofold operator*(twofold a, twofold b) {
    const twofold p = product(a.high, b.high);
    return sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}
constexpr twofold operator/(twofold a, twofold b) {
    const wide q = a.high / b.high;
    return sum(q, (a - b * twofold(q)).high / b.high);
}

constexpr twofold ldexp(twofold x, int n) {
    return {ldexp(x.high, n), ldexp(x.low, n)};
}

/// The number nearest to a sum. The cast decides all but ties, which the lower part then decides.
template <std::floating_point T>
constexpr T narrow(twofold x) {
    if constexpr (std::same_as<T, wide>) {
        return x.high;
    } else {
        using limits = std::numeric_limits<T>;
        constexpr wide end = limits::max() * (1 + wide(limits::epsilon()) / 4);
        if (fabs(x.high) >= end) return copysign(infinity<T>, negative(x.high) ? T(-1) : T(1));
        const T nearest = static_cast<T>(x.high);
        const wide rest = x.high - nearest;
        const wide other = nearest + 2 * rest;
        const bool tie = rest != 0 && static_cast<T>(other) == other;
        return tie && x.low != 0 && (x.low > 0) == (rest > 0) ? static_cast<T>(other) : nearest;
    }
}

inline constexpr twofold ln2{0xb17217f7d1cf79acp-64L, -0xd871319ff0342543p-130L};
inline constexpr twofold ln10{0x935d8dddaaa8ac17p-62L, -0xad494ea3e967aeb9p-129L};
inline constexpr twofold pi{0xc90fdaa22168c235p-62L, -0xece675d1fc8f8cbbp-128L};

/// eˣ - 1 - x for |x| < 0.4 (DLMF 4.2.19).
constexpr wide exp_rest(wide x) {
    wide s = 1;
    for (int n = 18; n > 2; --n) s = 1 + s * x / n;
    return x * x / 2 * s;
}

/// eˣ 2ⁿ, with e^(k ln 2 + r) = 2ᵏ eʳ.
constexpr twofold exp_of(twofold x, int n = 0) {
    using limits = std::numeric_limits<wide>;
    if (!(x.high + n * ln2.high < limits::max_exponent * ln2.high)) return infinity<wide>;
    if (x.high < (limits::min_exponent - 2 * limits::digits) * ln2.high) return 0;
    const wide k = round(x.high / ln2.high);
    const twofold r = x - ln2 * k;
    const twofold s = twofold(1) + sum(r.high, exp_rest(r.high) + r.low);
    return ldexp(s, n + static_cast<int>(k));
}
constexpr twofold expm1_of(wide x) {
    return fabs(x) < 0.4L ? sum(x, exp_rest(x)) : exp_of(x) - 1;
}

/// log x, finite x > 0. If x = 2ᵏ m, m near 1: k log 2 + 2 artanh((m - 1) / (m + 1)) (DLMF 4.6.4).
constexpr twofold log_of(twofold x) {
    const int e = exponent(x.high);
    const int k = ldexp(x.high, -e) > 1.4142L ? e + 1 : e;
    const twofold m = ldexp(x, -k);
    const twofold t = (m - 1) / (m + 1);
    const twofold u = t * t;
    wide tail = 0;
    for (int n = 31; n > 5; n -= 2) tail = 1 / wide(n) + u.high * tail;
    const twofold s = ((u * tail + twofold(1) / 5) * u + twofold(1) / 3) * u + 1;
    return ln2 * k + t * s * 2;
}

/// The square root of a finite number: Newton's iteration on [1, 4], then what the square lacks.
constexpr twofold sqrt_of(twofold x) {
    if (x.high == 0) return x;
    const int n = exponent(x.high) >> 1;
    const twofold m = ldexp(x, -2 * n);
    wide y = (m.high + 1) / 2;
    for (int i = 0; i < 5; ++i) y = (y + m.high / y) / 2;
    const twofold root = sum(y, (m - product(y, y)).high / (2 * y));
    return ldexp(root, n);
}

/// The angle of the point (x, y) of the first quadrant: arctan of a ratio below tan(π/8)
/// (DLMF 4.24.3) and a multiple of π/4.
constexpr twofold angle_of(twofold y, twofold x) {
    if (y.high > 1e4900L || x.high > 1e4900L) return angle_of(ldexp(y, -200), ldexp(x, -200));
    const int n = y.high > 2.4142L * x.high ? 2 : y.high > 0.4142L * x.high ? 1 : 0;
    const twofold t = n == 2 ? -x / y : n == 1 ? (y - x) / (y + x) : y / x;
    const wide q = t.high * t.high;
    wide s = 0;
    for (int k = 55; k > 1; k -= 2) s = 1 / wide(k) - q * s;
    return pi * (n / 4.0L) + sum(t.high, t.low - t.high * q * s);
}

/// An angle as quarter turns and a rest within about π/4.
struct turned {
    twofold rest;
    std::int64_t quarters;
};

/// 2/π to 1,216 binary digits.
inline constexpr std::uint32_t two_over_pi[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0,
    0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4,
    0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab,
};
/// A double of more than 1e18: x = m 2ᵉ times 2/π, of which whole turns are left out before the product is made (Payne and
/// Hanek, Radian reduction for trigonometric functions, SIGNUM Newsletter 18 (1983) 19).
constexpr turned turn_far(wide x, int ahead) {
    const int e = exponent(x) - 63;
    const auto m = static_cast<std::uint64_t>(ldexp(fabs(x), -e));
    std::uint64_t product[6] = {}; // of m and 2/π 2ᵉ, the lowest digits first; two digits before the point are kept
    for (int half = 0; half < 2; ++half) {
        std::uint64_t carry = 0;
        for (int k = half; k < 6; ++k) {
            const int at = e - 2 + 32 * (5 - k + half), word = at / 32;
            const std::uint64_t two = std::uint64_t{two_over_pi[word]} << 32 | two_over_pi[word + 1];
            carry += product[k] + (two >> (32 - at % 32) & 0xffffffff) * (half == 0 ? m & 0xffffffff : m >> 32);
            product[k] = carry & 0xffffffff;
            carry >>= 32;
        }
    }
    const std::uint64_t top = product[5] << 32 | product[4], next = product[3] << 32 | product[2];
    const std::uint64_t up = top >> 61 & 1; // to the nearest quarter
    const twofold rest = sum(ldexp(static_cast<wide>(top & ~(std::uint64_t{3} << 62)), -62) - static_cast<wide>(up), ldexp(static_cast<wide>(next), -126)) *
                         twofold{pi.high / 2, pi.low / 2};
    const auto quarters = static_cast<std::int64_t>((top >> 62) + up);
    if (x < 0) return {-rest, ahead - quarters};
    return {rest, ahead + quarters};
}
/// Three words of π/2 (Cody and Waite, Software Manual for the Elementary Functions, 1980) keep
/// every digit up to 1e18, where whole quarter turns are still told apart.
constexpr turned turn(wide x, int ahead = 0) {
    if (fabs(x) > 1e18L) return turn_far(x, ahead);
    const wide n = round(x / (pi.high / 2));
    const twofold a = product(n, pi.high / 2);
    const twofold b = product(n, pi.low / 2);
    const twofold r = sum(x - a.high, -a.low);
    const twofold s = sum(r.high, -b.high);
    const wide third = n * -0xb7ed8fbbacc19c60p-194L;
    return {sum(s.high, r.low + s.low - b.low - third), static_cast<std::int64_t>(n) + ahead};
}

/// sin(rest + quarters π/2) (DLMF 4.19.1 and 4.19.2).
constexpr twofold sine_of(turned x) {
    const wide r = x.rest.high;
    const wide q = r * r;
    const bool even = x.quarters % 2 == 0;
    wide s = 1;
    for (int n = even ? 26 : 25; n > 2; n -= 2) s = 1 - s * q / (n * (n + 1));
    const twofold y = even ? sum(r, x.rest.low * (1 - q / 2) - r * q / 6 * s)
                           : sum(1, -q / 2 * s - r * x.rest.low);
    return (x.quarters & 2) != 0 ? -y : y;
}

/// sin(πx), |x| < 2⁶².
constexpr twofold sine_of_half_turns(wide x) {
    const wide n = round(2 * x);
    return sine_of({pi * (x - n / 2), static_cast<std::int64_t>(n)});
}

/// erf x for |x| < 1 (DLMF 7.6.1).
constexpr twofold erf_of(wide x) {
    constexpr twofold two_over_root_pi{0x906eba8214db688dp-63L, 0xe3a914fed7fd8688p-128L};
    wide s = 0;
    wide power = 1;
    for (int n = 1; n < 24; ++n) {
        power *= -x * x / n;
        s += power / (2 * n + 1);
    }
    return (twofold(1) + s) * x * two_over_root_pi;
}

/// erfc x for x >= 0.5: the trapezoidal rule with step h = 0.4 for an integral that it converges on
/// like e^(-π²/h²), and the residue of the pole (Matta and Reichel, Math. Comp. 25, 1971).
constexpr twofold erfc_of(wide x) {
    constexpr wide q = 0xda26186919727f6fp-64L; // e^(-h²)
    wide s = 1 / (2 * x * x);
    wide weight = q;
    wide step = q * q * q;
    for (int k = 1; k < 18; ++k) {
        s += weight / (x * x + 0.16L * (k * k));
        weight *= step;
        step *= q * q;
    }
    const twofold y = exp_of(-product(x, x)) * (0.8L * x / pi.high * s);
    return x < 8 ? y - 2 / (exp_of(pi * (5 * x)) - 1) : y;
}

/// log Γ(x) for x >= 13 (DLMF 5.11.1).
constexpr twofold stirling_of(twofold x) {
    constexpr twofold half_log_two_pi{0xeb3f8e4325f5a535p-64L, -0xd686dffd77cdbfb8p-129L};
    constexpr wide terms[] = {
        77683 / 5796.0L, -174611 / 125400.0L, 43867 / 244188.0L, -3617 / 122400.0L,
        1 / 156.0L,      -691 / 360360.0L,    1 / 1188.0L,       -1 / 1680.0L,
        1 / 1260.0L,     -1 / 360.0L,         1 / 12.0L};
    wide s = 0;
    for (const wide term : terms) s = s / (x.high * x.high) + term;
    return (x - 0.5L) * log_of(x) - x + half_log_two_pi + s / x.high;
}

/// Γ(x) = Γ(high) / factor, high >= 13 (DLMF 5.5.1).
struct raised {
    twofold high;
    twofold factor;
};
constexpr raised raise(twofold x) {
    twofold factor = 1;
    for (; x.high < 13; x = x + 1) factor = factor * x;
    return {x, factor};
}

/// log Γ(x) for x > 0; about its zeros 1 and 2 by the series at 2 (DLMF 5.7.3), of (ζ(k) - 1) / k.
constexpr twofold log_gamma_of(twofold x) {
    const int zero = x.high < 1.5L ? 1 : 2;
    const twofold z = x - zero;
    if (fabs(z.high) > 0.125L) {
        const raised y = raise(x);
        return stirling_of(y.high) - log_of(y.factor);
    }
    constexpr wide zeta[] = {
        // ζ(k) - 1 for k = 18, 17, ..., 2
        3.81729326499983985646164e-6L, 7.63719763789976227360029e-6L, 1.52822594086518717325715e-5L,
        3.05882363070204935517285e-5L, 6.12481350587048292585451e-5L, 1.22713347578489146751837e-4L,
        2.46086553308048298637998e-4L, 4.94188604119464558702283e-4L, 9.94575127818085337145959e-4L,
        2.00839282608221441785277e-3L, 4.07735619794433937868524e-3L, 8.34927738192282683979755e-3L,
        1.73430619844491397145179e-2L, 3.69277551433699263313655e-2L, 8.23232337111381915160037e-2L,
        0.202056903159594285399738L,   0.644934066848226436472415L};
    wide s = 0;
    int k = 18;
    for (const wide value : zeta) s = value / k-- - z.high * s;
    constexpr twofold one_less_euler{0xd8773039049e70b6p-65L, 0xb90701fbfab4d2a5p-130L};
    const twofold y = z * one_less_euler + z.high * z.high * s;
    return zero == 1 ? y - log_of(x) : y;
}

} // namespace dyad::constant
DYAD_BOTH_SIDES_END
#pragma GCC diagnostic pop
