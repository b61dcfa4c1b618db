// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Powers, roots and distances.
#pragma once

#include <bit>

#include <dyad/op/arithmetic.hpp>
#include <dyad/op/conventions.hpp>

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// √' = 1/(2√x); infinite at 0
template <>
struct operation<opcode::sqrt> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::sqrt(x);
    }
    template <class V>
    static constexpr V dx(const V&, const V& r) {
        return 0.5 / r;
    }
};

/// ∛' = 1/(3 ∛x²); infinite at 0
template <>
struct operation<opcode::cbrt> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::cbrt(x);
    }
    template <class V>
    static constexpr V dx(const V&, const V& r) {
        return 1 / (3 * (r * r));
    }
};

/// xⁿ for whole n: (xⁿ)' = n xⁿ⁻¹
template <>
struct operation<opcode::ipow> : operation_base<1> {
    static constexpr bool attributed = true;
    template <class T>
    DYAD_VALUE T value(int n, T x) {
        // From the highest bit on, as the lower pass does: the same roundings.
        const auto power = n < 0 ? 0U - static_cast<unsigned>(n) : static_cast<unsigned>(n);
        T result = power == 0 ? T(1) : x;
        unsigned bit = 1;
        while (bit <= power / 2) bit *= 2;
        while ((bit /= 2) > 0) {
            result = result * result;
            if ((power & bit) != 0) result = result * x;
        }
        return n < 0 ? T(1) / result : result;
    }
    template <class V>
    static constexpr V dx(int n, const V& x, const V&) {
        return n == 0 ? V(0) : n * ipow(x, n - 1);
    }
};

/// xʸ: ∂/∂x = y xʸ⁻¹, ∂/∂y = xʸ log x, with the conventions at zeros that `convention::` states.
template <>
struct operation<opcode::pow> : operation_base<2> {
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return math::pow(x, y);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& y, const V& r) {
        return pow_dx(x, y, r);
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V& r) {
        return pow_log(1, x, y, r);
    }
};

/// y xʸ⁻¹, from r = xʸ where that is safe. A function of x and y alone: r is a hint, and passive.
///   ∂/∂x = y (y-1) xʸ⁻²,  ∂/∂y = xʸ⁻¹ + y xʸ⁻¹ log x
template <>
struct operation<opcode::pow_dx> : operation_base<3> {
    template <class T>
    DYAD_VALUE T value(T x, T y, T r) {
        return math::lanewise([](auto a, auto b, auto c) { return convention::pow_dx(a, b, c); }, x, y, r);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& y, const V&, const V&) {
        const V exponent = y - 1;
        const V slope = pow_dx(x, exponent, pow(x, exponent));
        return where(y == 0 && !(abs(slope) < constant::infinity<double>), V(0), y * slope); // x⁰ is 1, for x = 0 and NaN too
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V&, const V&) {
        const V exponent = y - 1;
        const V power = pow(x, exponent);
        return power + y * pow_log(1, x, exponent, power);
    }
    template <class V>
    static constexpr V dz(const V&, const V&, const V&, const V&) {
        return 0;
    }
};

/// xʸ logᵏ x, from the hint r = xʸ (passive, as above).
///   ∂/∂x = y xʸ⁻¹ logᵏ x + k xʸ⁻¹ logᵏ⁻¹ x,  ∂/∂y = xʸ logᵏ⁺¹ x
template <>
struct operation<opcode::pow_log> : operation_base<3> {
    static constexpr bool attributed = true;
    template <class T>
    DYAD_VALUE T value(int k, T x, T, T r) {
        return convention::pow_log(k, x, r);
    }
    template <class V>
    static constexpr V dx(int k, const V& x, const V& y, const V&, const V&) {
        const V exponent = y - 1;
        const V power = pow(x, exponent);
        const V lower = k == 1 ? power : pow_log(k - 1, x, exponent, power);
        return y * pow_log(k, x, exponent, power) + k * lower;
    }
    template <class V>
    static constexpr V dy(int k, const V& x, const V& y, const V& r, const V&) {
        return pow_log(k + 1, x, y, r);
    }
    template <class V>
    static constexpr V dz(int, const V&, const V&, const V&, const V&) {
        return 0;
    }
};

/// √(x² + y²) without overflow: ∂/∂x = x/r; the zero vector at the origin.
template <>
struct operation<opcode::hypot> : operation_base<2> {
    static constexpr bool commutative = true;
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return math::hypot(x, y);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&, const V& r) {
        return direction(x, r);
    }
    template <class V>
    static constexpr V dy(const V&, const V& y, const V& r) {
        return direction(y, r);
    }
};

/// x/r, and 0 where r is 0.
template <>
struct operation<opcode::direction> : operation_base<2> {
    template <class T>
    DYAD_VALUE T value(T x, T r) {
        return convention::direction(x, r);
    }
    template <class V>
    static constexpr V dx(const V&, const V& r, const V&) {
        return direction(V(1), r);
    }
    template <class V>
    static constexpr V dy(const V&, const V& r, const V& result) {
        return -direction(result, r);
    }
};

} // namespace dyad
DYAD_BOTH_SIDES_END
