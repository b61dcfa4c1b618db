// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Circular and hyperbolic functions and their inverses.
#pragma once

#include <dyad/op/arithmetic.hpp>
#include <dyad/op/conventions.hpp>

namespace dyad {

/// sin' = cos
template <>
struct operation<opcode::sin> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::sin(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return cos(x);
    }
};

/// cos' = -sin
template <>
struct operation<opcode::cos> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::cos(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return -sin(x);
    }
};

/// tan' = 1 + tan²
template <>
struct operation<opcode::tan> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::tan(x);
    }
    template <class V>
    static constexpr V dx(const V&, const V& r) {
        return 1 + r * r;
    }
};

/// asin' = 1/√(1 - x²)
template <>
struct operation<opcode::asin> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::asin(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return 1 / unit_circle(x);
    }
};

/// acos' = -1/√(1 - x²)
template <>
struct operation<opcode::acos> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::acos(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return -1 / unit_circle(x);
    }
};

/// atan' = 1/(1 + x²)
template <>
struct operation<opcode::atan> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::atan(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return 1 / (1 + x * x);
    }
};

/// sinh' = cosh
template <>
struct operation<opcode::sinh> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::sinh(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return cosh(x);
    }
};

/// cosh' = sinh
template <>
struct operation<opcode::cosh> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::cosh(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return sinh(x);
    }
};

/// tanh' = 1 - tanh²
template <>
struct operation<opcode::tanh> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::tanh(x);
    }
    template <class V>
    static constexpr V dx(const V&, const V& r) {
        return 1 - r * r;
    }
};

/// asinh' = 1/√(1 + x²), by hypot because x² may overflow
template <>
struct operation<opcode::asinh> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::asinh(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return 1 / hypot(x, V(1));
    }
};

/// acosh' = 1/√(x² - 1)
template <>
struct operation<opcode::acosh> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::acosh(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return 1 / unit_hyperbola(x);
    }
};

/// atanh' = 1/(1 - x²), by the root of 1 - x², which does not cancel near 1, nor does its slope near 0
template <>
struct operation<opcode::atanh> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::atanh(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        const V r = unit_circle(x);
        return 1 / (r * r);
    }
};

/// √(1 - x²) without the cancellation near 1: the helper of asin and acos.
template <>
struct operation<opcode::unit_circle> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::sqrt((T(1) - x) * (T(1) + x));
    }
    template <class V>
    static constexpr V dx(const V& x, const V& r) {
        return -(x / r);
    }
};

/// √(x² - 1) without cancellation near 1 or overflow: the helper of acosh.
template <>
struct operation<opcode::unit_hyperbola> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::sqrt(x - T(1)) * math::sqrt(x + T(1));
    }
    template <class V>
    static constexpr V dx(const V& x, const V& r) {
        return x / r;
    }
};

/// The sine and the cosine of one argument in one call; made by the lowering pass, after all derivatives.
template <>
struct operation<opcode::sincos> : flat_operation<1> {
    static constexpr int results = 2;
    template <class T>
    DYAD_VALUE void values(T x, T& sine, T& cosine) {
        math::sincos(x, sine, cosine);
    }
};

/// The angle of the point (x, y), operands in the order of the C library: ∂/∂y = x/(x² + y²), ∂/∂x = -y/(x² + y²).
template <>
struct operation<opcode::atan2> : operation_base<2> {
    template <class T>
    DYAD_VALUE T value(T y, T x) {
        return math::atan2(y, x);
    }
    template <class V>
    static constexpr V dx(const V& y, const V& x, const V&) {
        return inverse_real(x, y);
    }
    template <class V>
    static constexpr V dy(const V& y, const V& x, const V&) {
        return -inverse_real(y, x);
    }
};

/// p = x/(x² + y²), the real part of 1/(x + iy), with q = y/(x² + y²): ∂p/∂x = q² - p², ∂p/∂y = -2pq
/// (from d(1/z) = -dz/z²). 0 at the origin by convention.
template <>
struct operation<opcode::inverse_real> : operation_base<2> {
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return convention::inverse_real(x, y);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& y, const V& r) {
        const V q = inverse_real(y, x);
        return q * q - r * r;
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V& r) {
        return -2 * r * inverse_real(y, x);
    }
};

} // namespace dyad
