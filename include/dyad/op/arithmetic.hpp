// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// + - * / and their kin: values and partial derivatives. `contracted` is the value where the compiler may join it with others'.
#pragma once

#include <dyad/op/contraction.hpp>
#include <dyad/op/functions.hpp>
#include <dyad/op/math.hpp>
#include <dyad/op/operators.hpp>

namespace dyad {

/// What most operations are: `Arity` real operands, one real result, operands that do not commute.
template <int Arity>
struct operation_base {
    static constexpr int arity = Arity;
    static constexpr int results = 1;
    static constexpr bool condition = false;   ///< the result is true or false
    static constexpr bool commutative = false; ///< op(x, y) == op(y, x)
    static constexpr bool flat = false;        ///< every derivative is zero
    static constexpr bool attributed = false;  ///< a whole number is part of the operation
    static constexpr bool counted = true;      ///< counts as an operation (selections do not)
};

/// An operation whose derivatives are all zero.
template <int Arity>
struct flat_operation : operation_base<Arity> {
    static constexpr bool flat = true;
};

template <>
struct operation<opcode::neg> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return -x;
    }
    template <class V>
    static constexpr V dx(const V&, const V&) {
        return -1;
    }
};

template <>
struct operation<opcode::add> : operation_base<2> {
    static constexpr bool commutative = true;
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return x + y;
    }
    template <class T>
    DYAD_VALUE T contracted(T x, T y) {
        return math::contracted_add(x, y);
    }
    template <class V>
    static constexpr V dx(const V&, const V&, const V&) {
        return 1;
    }
    template <class V>
    static constexpr V dy(const V&, const V&, const V&) {
        return 1;
    }
};

template <>
struct operation<opcode::sub> : operation_base<2> {
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return x - y;
    }
    template <class T>
    DYAD_VALUE T contracted(T x, T y) {
        return math::contracted_sub(x, y);
    }
    template <class V>
    static constexpr V dx(const V&, const V&, const V&) {
        return 1;
    }
    template <class V>
    static constexpr V dy(const V&, const V&, const V&) {
        return -1;
    }
};

template <>
struct operation<opcode::mul> : operation_base<2> {
    static constexpr bool commutative = true;
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return x * y;
    }
    template <class T>
    DYAD_VALUE T contracted(T x, T y) {
        return math::contracted_mul(x, y);
    }
    template <class V>
    static constexpr V dx(const V&, const V& y, const V&) {
        return y;
    }
    template <class V>
    static constexpr V dy(const V& x, const V&, const V&) {
        return x;
    }
};

template <>
struct operation<opcode::div> : operation_base<2> {
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return x / y;
    }
    template <class V>
    static constexpr V dx(const V&, const V& y, const V&) {
        return 1 / y;
    }
    template <class V>
    static constexpr V dy(const V&, const V& y, const V& r) {
        return -(r / y);
    }
};

/// x·y + z, rounded once.
template <>
struct operation<opcode::fma> : operation_base<3> {
    template <class T>
    DYAD_VALUE T value(T x, T y, T z) {
        return math::fma(x, y, z);
    }
    template <class V>
    static constexpr V dx(const V&, const V& y, const V&, const V&) {
        return y;
    }
    template <class V>
    static constexpr V dy(const V& x, const V&, const V&, const V&) {
        return x;
    }
    template <class V>
    static constexpr V dz(const V&, const V&, const V&, const V&) {
        return 1;
    }
};

/// The remainder of x / y with the sign of x; r = x - trunc(x / y) y.
template <>
struct operation<opcode::fmod> : operation_base<2> {
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return math::fmod(x, y);
    }
    template <class V>
    static constexpr V dx(const V&, const V&, const V&) {
        return 1;
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V& r) {
        return round((r - x) / y); // not -trunc(x / y), which may round to the next whole number
    }
};

} // namespace dyad
