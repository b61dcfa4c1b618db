// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The user's functions: dyad::sin, dyad::pow, dyad::where ... over numbers, vectors of numbers and symbolic
// values, found by argument-dependent look-up for the latter. Rules are written with the same functions.
#pragma once

#include <dyad/op/operand.hpp>

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

#define DYAD_UNARY_FUNCTION(name)                                                                    \
    template <operand X>                                                                             \
    DYAD_FN constexpr auto name(const X& x) {                                                        \
        return apply<opcode::name>(0, x);                                                            \
    }
#define DYAD_BINARY_FUNCTION(name)                                                                   \
    template <operand X, operand Y>                                                                  \
    DYAD_FN constexpr auto name(const X& x, const Y& y) {                                            \
        return apply<opcode::name>(0, x, y);                                                         \
    }
#define DYAD_TERNARY_FUNCTION(name)                                                                  \
    template <operand X, operand Y, operand Z>                                                       \
    DYAD_FN constexpr auto name(const X& x, const Y& y, const Z& z) {                                \
        return apply<opcode::name>(0, x, y, z);                                                      \
    }
DYAD_UNARY_OPERATIONS(DYAD_UNARY_FUNCTION)
DYAD_BINARY_OPERATIONS(DYAD_BINARY_FUNCTION)
DYAD_TERNARY_OPERATIONS(DYAD_TERNARY_FUNCTION)
DYAD_TERNARY_FUNCTION(pow_dx)
DYAD_BINARY_FUNCTION(direction)
DYAD_BINARY_FUNCTION(inverse_real)
DYAD_UNARY_FUNCTION(unit_circle)
DYAD_UNARY_FUNCTION(unit_hyperbola)
DYAD_UNARY_FUNCTION(gaussian)
#undef DYAD_UNARY_FUNCTION
#undef DYAD_BINARY_FUNCTION
#undef DYAD_TERNARY_FUNCTION

/// Two or three of one type: std::max, min and clamp, where a program says `using namespace std`, fit as well but know no slopes.
template <symbolic X>
DYAD_FN constexpr auto max(const X& x, const X& y) {
    return apply<opcode::max>(0, x, y);
}
template <symbolic X>
DYAD_FN constexpr auto min(const X& x, const X& y) {
    return apply<opcode::min>(0, x, y);
}
template <symbolic X>
DYAD_FN constexpr auto clamp(const X& x, const X& low, const X& high) {
    return apply<opcode::clamp>(0, x, low, high);
}

/// |x|, by its name for floating-point numbers.
template <operand X>
DYAD_FN constexpr auto fabs(const X& x) {
    return abs(x);
}

/// x^n for a whole number n: exact for negative x, by repeated multiplication.
template <operand X>
DYAD_FN constexpr auto ipow(const X& x, int n) {
    return apply<opcode::ipow>(n, x);
}

/// xʸ logᵏ x, where r = xʸ is known already: the k-th derivative of xʸ by y.
template <operand X, operand Y, operand R>
DYAD_FN constexpr auto pow_log(int k, const X& x, const Y& y, const R& r) {
    return apply<opcode::pow_log>(k, x, y, r);
}

/// x². Example: `square(3.0) == 9.0`.
template <operand X>
DYAD_FN constexpr auto square(const X& x) {
    return apply<opcode::ipow>(whole<2>{}, x);
}

/// x³. Example: `cube(2.0) == 8.0`.
template <operand X>
DYAD_FN constexpr auto cube(const X& x) {
    return apply<opcode::ipow>(whole<3>{}, x);
}

/// The n-th derivative of digamma: ψ⁽ⁿ⁾(x) = dⁿ⁺¹/dxⁿ⁺¹ log Γ(x) (DLMF 5.15); NaN for n < 0.
template <operand X>
DYAD_FN constexpr auto polygamma(int n, const X& x) {
    return apply<opcode::polygamma>(n, x);
}

/// The n-th derivative of sin(πx)/(πx), which is 1 at 0; NaN for n < 0.
template <operand X>
DYAD_FN constexpr auto sinc(int n, const X& x) {
    return apply<opcode::sinc>(n, x);
}

/// sin(πx)/(πx), the normalised sinc of signal processing; 1 at 0. Example: `sinc(0.0) == 1.0`.
template <operand X>
DYAD_FN constexpr auto sinc(const X& x) {
    return apply<opcode::sinc>(whole<0>{}, x);
}

/// `condition ? x : y`, where both are computed and the one not selected contributes exactly nothing to
/// any derivative. Example: `where(x > 0, sqrt(x), 0)` has slope 0 at x = -1 and at x = 0.
template <class Condition, operand X, operand Y>
    requires(!is_array<Condition>)
DYAD_FN constexpr auto where(const Condition& condition, const X& x, const Y& y) {
    if constexpr (symbolic<Condition> || symbolic<X> || symbolic<Y>) {
        return apply_symbolic(op_constant<opcode::where>{}, 0, condition, x, y);
    } else {
        using T = common_real_t<X, Y>;
        if constexpr (plain<Condition>) { // a number: it holds unless it is 0
            return operation_over<opcode::where, T>::value(condition != Condition(0), to_value<T>(x), to_value<T>(y));
        } else {
            return operation_over<opcode::where, T>::value(condition, to_value<T>(x), to_value<T>(y));
        }
    }
}

/// x - y where x is the larger, else 0, of slope 0. Example: `fdim(3.0, 1.0) == 2.0`.
template <operand X, operand Y>
DYAD_FN constexpr auto fdim(const X& x, const Y& y) {
    if constexpr (number<X> && number<Y>) {
        using T = common_real_t<X, Y>;
        const T a = to_value<T>(x), b = to_value<T>(y);
        return a <= b ? T(0) : a - b;
    } else {
        return where(x <= y, 0, x - y);
    }
}

// (A name of its own: logsumexp of one array is a reduction. From the first on: behind a traced value, numbers never meet alone.)
template <operand X>
DYAD_FN constexpr X logaddexp_of_all(const X& x) {
    return x;
}
template <operand X, operand Y, operand... Rest>
DYAD_FN constexpr auto logaddexp_of_all(const X& x, const Y& y, const Rest&... rest) {
    return logaddexp_of_all(logaddexp(x, y), rest...);
}
/// log(exp(x) + exp(y) + ...), without overflow. Example: `logsumexp(1000.0, 1000.0)` is 1000 + log 2.
template <operand X, operand... Rest>
DYAD_FN constexpr auto logsumexp(const X& x, const Rest&... rest) {
    return logaddexp_of_all(x, rest...);
}

} // namespace dyad
DYAD_BOTH_SIDES_END
