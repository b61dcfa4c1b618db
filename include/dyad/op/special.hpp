// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Error and gamma functions, and the cardinal sine.
#pragma once

#include <numbers>

#include <dyad/op/arithmetic.hpp>
#include <dyad/op/erf_gaussian.hpp>
#include <dyad/op/special_value.hpp>

namespace dyad {

/// erf' = 2/√π e^(-x²)
template <>
struct operation<opcode::erf> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::erf(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return (2 * std::numbers::inv_sqrtpi_v<long double>) * gaussian(x);
    }
};

/// erfc' = -2/√π e^(-x²)
template <>
struct operation<opcode::erfc> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::erfc(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return (-2 * std::numbers::inv_sqrtpi_v<long double>) * gaussian(x);
    }
};

/// g = e^(-x²), the helper of erf and erfc: g' = -2 x g
template <>
struct operation<opcode::gaussian> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::exp(-(x * x));
    }
    template <class V>
    static constexpr V dx(const V& x, const V& r) {
        return -2 * (x * r);
    }
};

/// erf x and e^(-x²) in one go; made by the lowering pass, after all derivatives.
template <>
struct operation<opcode::erf_gaussian> : flat_operation<1> {
    static constexpr int results = 2;
    template <class T>
    DYAD_VALUE void values(T x, T& error_function, T& gaussian) {
        math::erf_gaussian(x, error_function, gaussian);
    }
};

/// Γ' = Γ ψ
template <>
struct operation<opcode::tgamma> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::tgamma(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& r) {
        return r * digamma(x);
    }
};

/// (log |Γ|)' = ψ
template <>
struct operation<opcode::lgamma> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::lgamma(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return digamma(x);
    }
};

/// ψ' = ψ⁽¹⁾
template <>
struct operation<opcode::digamma> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::lanewise([](auto lane) { return special::polygamma(0, lane); }, x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return polygamma(1, x);
    }
};

/// ψ⁽ⁿ⁾' = ψ⁽ⁿ⁺¹⁾
template <>
struct operation<opcode::polygamma> : operation_base<1> {
    static constexpr bool attributed = true;
    template <class T>
    DYAD_VALUE T value(int n, T x) {
        return math::lanewise([n](auto lane) { return special::polygamma(n, lane); }, x);
    }
    template <class V>
    static constexpr V dx(int n, const V& x, const V&) {
        return polygamma(n + 1, x);
    }
};

/// The n-th derivative of sin(πx)/(πx)
template <>
struct operation<opcode::sinc> : operation_base<1> {
    static constexpr bool attributed = true;
    template <class T>
    DYAD_VALUE T value(int n, T x) {
        return math::lanewise([n](auto lane) { return special::sinc(n, lane); }, x);
    }
    template <class V>
    static constexpr V dx(int n, const V& x, const V&) {
        return sinc(n + 1, x);
    }
};

} // namespace dyad
