// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Compile-time constants for eager expressions: 2_c, 0.5_c, 1e-3_c.
#pragma once

#include <dyad/trace/expr.hpp>

namespace dyad {

/// The value of a decimal literal's characters: whole digits, a fraction, an exponent; digit separators. Exact
/// for up to 19 digits and small exponents in long double, then rounded once.
template <char... C>
constexpr double decimal_value() {
    constexpr char text[] = {C..., '\0'};
    long double mantissa = 0;
    int scale = 0, exponent = 0, sign = 1;
    bool fraction = false;
    std::size_t i = 0;
    for (; text[i] != '\0' && text[i] != 'e' && text[i] != 'E'; ++i) {
        if (text[i] == '\'') continue;
        if (text[i] == '.') {
            fraction = true;
            continue;
        }
        mantissa = 10 * mantissa + (text[i] - '0');
        scale -= fraction ? 1 : 0;
    }
    if (text[i] != '\0') ++i;
    for (; text[i] != '\0'; ++i) {
        if (text[i] == '-') sign = -1;
        if (text[i] >= '0' && text[i] <= '9') exponent = 10 * exponent + (text[i] - '0');
    }
    scale += sign * exponent;
    long double power = 1;
    for (int k = scale < 0 ? -scale : scale; k > 0; --k) power *= 10;
    return static_cast<double>(scale < 0 ? mantissa / power : mantissa * power);
}

/// A graph that is one constant.
template <std::uint64_t Bits>
struct single_constant {
    constexpr dyad::graph operator()() const {
        builder b;
        const node_index c = b.constant(exact(std::bit_cast<double>(Bits)));
        return b.finish({c});
    }
};

/// An expression that is a compile-time constant, such as 2.5_c, or an axis, 0_c.
template <class E>
inline constexpr bool is_constant_expression = false;
template <auto Code>
inline constexpr bool is_constant_expression<expr<Code>> = true;

/// A constant such as 1_c as a number, which traced values take; a whole one, as an axis.
template <class X>
constexpr auto number_of_constant() {
    constexpr double value = [] {
        const dyad::graph g = decode(X::coded);
        return constant_value(g.nodes.at[g.outputs.at[0]]).high;
    }();
    constexpr bool fits = value > -0x1p31 && value < 0x1p31;
    if constexpr (constexpr int whole = fits ? static_cast<int>(value) : 0; fits && value == static_cast<double>(whole)) {
        return whole;
    } else {
        return value;
    }
}
template <class X>
constexpr decltype(auto) without_constant(const X& x) {
    if constexpr (is_constant_expression<X>) {
        return number_of_constant<X>();
    } else {
        return x;
    }
}

/// What a variable beside a traced value is: its type, not its value. (A constexpr function must have a way that returns.)
template <class X>
constexpr tracer refused_beside_traced(const X&) {
    constexpr bool value = true;
    if (value) throw value_error("[dyad] expression: a variable stands beside a traced value; pass it as an argument");
    return {};
}
/// Constants beside traced values are numbers. A variable cannot stand there, whose value no trace knows; but its type can, see
/// `captures_traced`.
template <opcode Op, class Attribute, class... X>
    requires((eager<X> || ...) && (traced_value<X> || ...))
constexpr tracer apply_symbolic(op_constant<Op> op, [[maybe_unused]] Attribute attribute, [[maybe_unused]] const X&... x) {
    if constexpr (((eager<X> && !is_constant_expression<X>) || ...)) {
        return refused_beside_traced(op);
    } else if constexpr (std::is_same_v<Attribute, int>) {
        return apply_symbolic(op, attribute, without_constant(x)...);
    } else {
        return apply_symbolic(op, Attribute::value, without_constant(x)...);
    }
}

namespace literals {

/// `x * x * y + 1_c`: the constant is part of the type, folds, and prints.
template <char... C>
constexpr auto operator""_c() {
    constexpr bool plain = ((C != 'x' && C != 'X' && C != 'b' && C != 'B') && ...);
    static_assert(plain, "[dyad] literal: only decimal numbers can be constants; write 255_c for 0xff_c");
    constexpr double value = decimal_value<C...>();
    using made = single_constant<std::bit_cast<std::uint64_t>(value)>;
    return expression_of<made, leaf_list<>, 4>::make(flat_tuple<>{});
}

} // namespace literals
} // namespace dyad
