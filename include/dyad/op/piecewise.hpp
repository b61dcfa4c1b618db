// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Comparisons, selections, and functions made of pieces. A slope of the form where(condition, slope, 0) is a
// strong zero: the differentiate pass carries the condition outwards, so that the piece which is not taken
// contributes nothing, not even 0·inf.
#pragma once

#include <dyad/op/arithmetic.hpp>
#include <dyad/op/conventions.hpp>

namespace dyad {

/// A comparison or a logical operation.
template <int Arity>
struct condition_operation : flat_operation<Arity> {
    static constexpr bool condition = true;
    static constexpr bool counted = false;
};

template <>
struct operation<opcode::less> : condition_operation<2> {
    template <class T>
    DYAD_VALUE auto value(T x, T y) {
        return x < y;
    }
};
template <>
struct operation<opcode::less_equal> : condition_operation<2> {
    template <class T>
    DYAD_VALUE auto value(T x, T y) {
        return x <= y;
    }
};
template <>
struct operation<opcode::equal> : condition_operation<2> {
    static constexpr bool commutative = true;
    template <class T>
    DYAD_VALUE auto value(T x, T y) {
        return x == y;
    }
};
template <>
struct operation<opcode::logical_not> : condition_operation<1> {
    template <class M>
    DYAD_VALUE auto value(M x) {
        return !x;
    }
};
template <>
struct operation<opcode::logical_and> : condition_operation<2> {
    static constexpr bool commutative = true;
    template <class M>
    DYAD_VALUE auto value(M x, M y) {
        return x && y;
    }
};
template <>
struct operation<opcode::logical_or> : condition_operation<2> {
    static constexpr bool commutative = true;
    template <class M>
    DYAD_VALUE auto value(M x, M y) {
        return x || y;
    }
};

/// condition ? y : z. The operand not taken contributes exactly nothing.
template <>
struct operation<opcode::where> : operation_base<3> {
    static constexpr bool counted = false;
    template <class M, class T>
    DYAD_VALUE T value(M condition, T y, T z) {
        return math::choose(condition, y, z);
    }
    template <class V>
    static constexpr V dx(const V&, const V&, const V&, const V&) {
        return 0;
    }
    template <class V>
    static constexpr V dy(const V& condition, const V&, const V&, const V&) {
        return where(condition, V(1), V(0));
    }
    template <class V>
    static constexpr V dz(const V& condition, const V&, const V&, const V&) {
        return where(condition, V(0), V(1));
    }
};

/// |x|, with slope sign(x): 0 at 0.
template <>
struct operation<opcode::abs> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::abs(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return sign(x);
    }
};
template <>
struct operation<opcode::sign> : flat_operation<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return convention::sign(x);
    }
};

/// max(x, 0), with slope 0 at 0. NaN stays NaN.
template <>
struct operation<opcode::relu> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::choose(x < T(0), T(0), x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return where(x > 0, V(1), V(0));
    }
};

/// The larger operand; NaN if either is. Equal operands share the slope.
template <>
struct operation<opcode::max> : operation_base<2> {
    static constexpr bool commutative = true;
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return math::larger(x, y);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& y, const V&) {
        return where(x < y, V(0), convention::share_of_winner(x, y));
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V&) {
        return where(y < x, V(0), convention::share_of_winner(x, y));
    }
};

/// The smaller operand; NaN if either is. Equal operands share the slope.
template <>
struct operation<opcode::min> : operation_base<2> {
    static constexpr bool commutative = true;
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return math::smaller(x, y);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& y, const V&) {
        return where(y < x, V(0), convention::share_of_winner(x, y));
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V&) {
        return where(x < y, V(0), convention::share_of_winner(x, y));
    }
};

/// The larger operand, a NaN counting as missing: fmax(x, NaN) = x with slope 1.
template <>
struct operation<opcode::fmax> : operation_base<2> {
    static constexpr bool commutative = true;
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return math::fmax(x, y);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& y, const V&) {
        return where(x < y || x != x, V(0), convention::share_of_winner(x, y));
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V&) {
        return where(y < x || y != y, V(0), convention::share_of_winner(x, y));
    }
};

/// The smaller operand, a NaN counting as missing.
template <>
struct operation<opcode::fmin> : operation_base<2> {
    static constexpr bool commutative = true;
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return math::fmin(x, y);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& y, const V&) {
        return where(y < x || x != x, V(0), convention::share_of_winner(x, y));
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V&) {
        return where(x < y || y != y, V(0), convention::share_of_winner(x, y));
    }
};

/// min(max(x, low), high): slope 1 in x inside, 1/2 on the edges, 0 outside; where all three are equal 1/4 in x.
template <>
struct operation<opcode::clamp> : operation_base<3> {
    template <class T>
    DYAD_VALUE T value(T x, T low, T high) {
        return operation<opcode::min>::value(operation<opcode::max>::value(x, low), high);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& low, const V& high, const V&) {
        return where(x < low || high < x, V(0), share(x, low, high, convention::share_of_winner(x, high)));
    }
    template <class V>
    static constexpr V dy(const V& x, const V& low, const V& high, const V&) {
        return where(low < x || high < low, V(0), share(x, low, high, convention::share_of_winner(low, high)));
    }
    template <class V>
    static constexpr V dz(const V& x, const V& low, const V& high, const V&) {
        const V inner = max(x, low);
        return where(inner < high, V(0), convention::share_of_winner(inner, high));
    }

private:
    /// Of what max(x, low) has, which meets `high` too where the bounds are one.
    template <class V>
    static constexpr V share(const V& x, const V& low, const V& high, const V& alone) {
        return where(x == low, where(low == high, V(0.25), V(0.5)), alone);
    }
};

/// |x| with the sign of y: slope sign(x) sign(y) in x, 0 in y.
template <>
struct operation<opcode::copysign> : operation_base<2> {
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return math::copysign(x, y);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& y, const V&) {
        return sign(x) * copysign(V(1), y);
    }
    template <class V>
    static constexpr V dy(const V&, const V&, const V&) {
        return 0;
    }
};

/// x log y, and 0 where x is 0 (for every y but NaN). The slope in y at (0, 0) is 0.
template <>
struct operation<opcode::xlogy> : operation_base<2> {
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return math::choose(x == T(0), math::choose(y == y, T(0), y), x * math::log(y));
    }
    template <class V>
    static constexpr V dx(const V&, const V& y, const V&) {
        return log(y);
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V&) {
        return where(x == 0 && y == 0, V(0), x / y);
    }
};

/// x itself, with slope 0.
template <>
struct operation<opcode::stop_gradient> : flat_operation<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return x;
    }
};

// Steps: slope 0 everywhere, NaN stays NaN.
template <>
struct operation<opcode::floor> : flat_operation<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::floor(x);
    }
};
template <>
struct operation<opcode::ceil> : flat_operation<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::ceil(x);
    }
};
template <>
struct operation<opcode::round> : flat_operation<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::round(x);
    }
};
template <>
struct operation<opcode::trunc> : flat_operation<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::trunc(x);
    }
};

} // namespace dyad
