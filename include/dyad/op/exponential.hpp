// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Exponentials and logarithms.
#pragma once

#include <numbers>

#include <dyad/op/arithmetic.hpp>
#include <dyad/op/conventions.hpp>

namespace dyad {

/// (eˣ)' = eˣ
template <>
struct operation<opcode::exp> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::exp(x);
    }
    template <class V>
    static constexpr V dx(const V&, const V& r) {
        return r;
    }
};

/// (2ˣ)' = 2ˣ log 2
template <>
struct operation<opcode::exp2> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::exp2(x);
    }
    template <class V>
    static constexpr V dx(const V&, const V& r) {
        return r * std::numbers::ln2_v<long double>;
    }
};

/// (eˣ - 1)' = eˣ, which eˣ - 1 + 1 would lose for x far below 0
template <>
struct operation<opcode::expm1> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::expm1(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return exp(x);
    }
};

/// (log x)' = 1/x
template <>
struct operation<opcode::log> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::log(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return 1 / x;
    }
};

/// (log₂ x)' = 1/(x log 2)
template <>
struct operation<opcode::log2> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::log2(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return 1 / (x * std::numbers::ln2_v<long double>);
    }
};

/// (log₁₀ x)' = 1/(x log 10)
template <>
struct operation<opcode::log10> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::log10(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return 1 / (x * std::numbers::ln10_v<long double>);
    }
};

/// (log(1 + x))' = 1/(1 + x)
template <>
struct operation<opcode::log1p> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::log1p(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return 1 / (1 + x);
    }
};

/// σ(x) = 1/(1 + e⁻ˣ), σ' = σ(1 - σ)
template <>
struct operation<opcode::sigmoid> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return T(1) / (T(1) + math::exp(-x));
    }
    template <class V>
    static constexpr V dx(const V&, const V& r) {
        return r * (1 - r);
    }
};

/// log(1 + eˣ) = max(x, 0) + log(1 + e^-|x|), whose slope is σ(x).
template <>
struct operation<opcode::softplus> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::choose(x < T(0), T(0), x) + math::log1p(math::exp(-math::abs(x)));
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return sigmoid(x);
    }
};

/// log(eˣ + eʸ) = max + log(1 + e^-|x - y|); slopes σ(x - y) and σ(y - x), 1/2 for equal infinities.
template <>
struct operation<opcode::logaddexp> : operation_base<2> {
    static constexpr bool commutative = true;
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        const T gap = math::choose(x == y, T(0), math::abs(x - y));
        return math::choose(x < y, y, x) + math::log1p(math::exp(-gap));
    }
    template <class V>
    static constexpr V dx(const V& x, const V& y, const V&) {
        return where(convention::equal_infinities(x, y), V(0.5), sigmoid(x - y));
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V&) {
        return where(convention::equal_infinities(x, y), V(0.5), sigmoid(y - x));
    }
};

} // namespace dyad
