// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What derivatives are where the mathematics leaves a choice: every such choice of the library is made here
// and listed in docs/conventions.md. The rules use these functions in every mode and order.
#pragma once

#include <dyad/op/functions.hpp>
#include <dyad/op/math.hpp>
#include <dyad/op/operators.hpp>

namespace dyad::convention {

/// The slope of max and min in the operand that wins: 1, and 1/2 for each of two equal ones.
template <class V>
constexpr V share_of_winner(const V& x, const V& y) {
    return where(x == y, V(0.5), V(1));
}

/// Operands beyond every float that are equal: their difference may be NaN. (Equal finite numbers that large
/// are caught too; what is done for infinities is right for them.)
template <class V>
constexpr auto equal_infinities(const V& x, const V& y) {
    return x == y && (x < -3.4e38 || 3.4e38 < x);
}

/// The sign of x: -1, 0 or 1, which is also the slope of |x|: 0 at 0. NaN stays NaN.
template <class T>
DYAD_FN DYAD_INLINE constexpr T sign(T x) {
    return math::choose(T(0) < x, T(1), math::choose(x < T(0), T(-1), x));
}

/// x/r, the direction cosine: at the origin (r = 0) the zero vector.
template <class T>
DYAD_FN DYAD_INLINE constexpr T direction(T x, T r) {
    return math::choose(r == T(0), T(0), x / r);
}

// (As constants: a device's code calls no functions of the host.)
template <class T>
inline constexpr T least_normal = std::numeric_limits<T>::min();
template <class T>
inline constexpr T most_finite = std::numeric_limits<T>::max();

/// x/(x² + y²): 0 at the origin; scaled by the distance where the squares would overflow or vanish.
template <class T>
DYAD_FN DYAD_INLINE constexpr T inverse_real(T x, T y) {
    if constexpr (number<T>) {
        const T squares = x * x + y * y;
        if (squares > least_normal<T> * T(0x1p20F) && squares <= most_finite<T>) return x / squares;
    }
    const T r = math::hypot(x, y);
    return direction(direction(x, r), r);
}

/// y xʸ⁻¹ from r = xʸ: 0 for y = 0 and every x; at x = 0 it is 0 for y > 1, 1 at y = 1, infinite for 0 < y < 1.
template <class T>
DYAD_FN DYAD_INLINE constexpr T pow_dx(T x, T y, T r) {
    if (y == 0) return T(0);
    const bool safe = x != 0 && math::abs(r) >= least_normal<T> && math::abs(r) <= most_finite<T>; // (with all its bits)
    return safe ? y * (r / x) : y * math::pow(x, y - 1);
}

/// r logᵏ x for a power r of x: 0 where the power is 0 (x = 0 and y > 0, say).
template <class T>
DYAD_FN DYAD_INLINE constexpr T pow_log(int k, T x, T r) {
    const T logarithm = math::log(x);
    T result = r;
    for (int i = 0; i < k; ++i) result = result * logarithm;
    return math::choose(r == T(0), T(0), result);
}

} // namespace dyad::convention
