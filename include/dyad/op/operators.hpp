// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The operators of symbolic values, and their refusals: an operand that is no number gets one sentence
// instead of a list of candidates.
#pragma once

#include <dyad/base/reject.hpp>
#include <dyad/op/operand.hpp>

namespace dyad {

template <class A, class B>
concept symbolic_pair = (symbolic<A> || symbolic<B>) && operand<A> && operand<B>;

/// A type built over symbolic values, whose own operators with them are to be found (a matrix of them, say).
template <class T>
concept hosts_symbolic = requires { requires symbolic<typename T::value_type>; } ||
                         requires { requires symbolic<typename T::Scalar>; };

/// An operand that no operation takes, beside a symbolic one.
template <class A, class B>
concept refused_pair = (symbolic<A> && !operand<B> && !hosts_symbolic<B> && !std::same_as<B, bool>) ||
                       (symbolic<B> && !operand<A> && !hosts_symbolic<A> && !std::same_as<A, bool>);

/// What all operators do: operands one of which is symbolic record the operation.
template <opcode Op, class... X>
constexpr auto record(const X&... x) {
    return apply_symbolic(op_constant<Op>{}, 0, x...);
}

#define DYAD_BINARY_OPERATOR(symbol, ...)                                                            \
    template <class A, class B>                                                                      \
        requires symbolic_pair<A, B>                                                                 \
    constexpr auto operator symbol(const A& x, const B& y) {                                         \
        return __VA_ARGS__;                                                                          \
    }
DYAD_BINARY_OPERATOR(+, record<opcode::add>(x, y))
DYAD_BINARY_OPERATOR(-, record<opcode::sub>(x, y))
DYAD_BINARY_OPERATOR(*, record<opcode::mul>(x, y))
DYAD_BINARY_OPERATOR(/, record<opcode::div>(x, y))
DYAD_BINARY_OPERATOR(<, record<opcode::less>(x, y))
DYAD_BINARY_OPERATOR(>, record<opcode::less>(y, x))
DYAD_BINARY_OPERATOR(<=, record<opcode::less_equal>(x, y))
DYAD_BINARY_OPERATOR(>=, record<opcode::less_equal>(y, x))
DYAD_BINARY_OPERATOR(==, record<opcode::equal>(x, y))
DYAD_BINARY_OPERATOR(!=, record<opcode::logical_not>(record<opcode::equal>(x, y)))
DYAD_BINARY_OPERATOR(&&, record<opcode::logical_and>(x, y))
DYAD_BINARY_OPERATOR(||, record<opcode::logical_or>(x, y))
#undef DYAD_BINARY_OPERATOR

template <symbolic A>
constexpr auto operator-(const A& x) {
    return record<opcode::neg>(x);
}
template <symbolic A>
constexpr A operator+(const A& x) {
    return x;
}
template <symbolic A>
constexpr auto operator!(const A& x) {
    return record<opcode::logical_not>(x);
}

/// The symbolic one of a pair: a refused operator returns it, so that one mistake gives one message.
template <class A, class B>
using symbolic_of = std::conditional_t<symbolic<A>, A, B>;

// One line each, because g++ shows the line that deletes the function, and with it the sentence.
// clang-format off
template <class A, class B> requires refused_pair<A, B> constexpr symbolic_of<A, B> operator+(const A&, const B&) DYAD_REJECT("[dyad] operator: an operand is neither a number nor a traced value nor an expression; convert it to a number first");
template <class A, class B> requires refused_pair<A, B> constexpr symbolic_of<A, B> operator-(const A&, const B&) DYAD_REJECT("[dyad] operator: an operand is neither a number nor a traced value nor an expression; convert it to a number first");
template <class A, class B> requires refused_pair<A, B> constexpr symbolic_of<A, B> operator*(const A&, const B&) DYAD_REJECT("[dyad] operator: an operand is neither a number nor a traced value nor an expression; convert it to a number first");
template <class A, class B> requires refused_pair<A, B> constexpr symbolic_of<A, B> operator/(const A&, const B&) DYAD_REJECT("[dyad] operator: an operand is neither a number nor a traced value nor an expression; convert it to a number first");
template <class A, class B> requires refused_pair<A, B> constexpr symbolic_of<A, B> operator<(const A&, const B&) DYAD_REJECT("[dyad] operator: an operand is neither a number nor a traced value nor an expression; convert it to a number first");
template <class A, class B> requires refused_pair<A, B> constexpr symbolic_of<A, B> operator>(const A&, const B&) DYAD_REJECT("[dyad] operator: an operand is neither a number nor a traced value nor an expression; convert it to a number first");
template <class A, class B> requires refused_pair<A, B> constexpr symbolic_of<A, B> operator<=(const A&, const B&) DYAD_REJECT("[dyad] operator: an operand is neither a number nor a traced value nor an expression; convert it to a number first");
template <class A, class B> requires refused_pair<A, B> constexpr symbolic_of<A, B> operator>=(const A&, const B&) DYAD_REJECT("[dyad] operator: an operand is neither a number nor a traced value nor an expression; convert it to a number first");
// clang-format on

} // namespace dyad
