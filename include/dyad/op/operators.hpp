// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The operators of symbolic values, and their refusals: an operand that is no number gets one sentence
// instead of a list of candidates.
#pragma once

#include <dyad/base/reject.hpp>
#include <dyad/op/operand.hpp>

namespace dyad {

/// Where the operators are: a symbolic type joins by deriving from `operators::home<>`. (In `dyad` each of them would be a
/// candidate wherever the library itself compares two opcodes, of which there are hundreds.) One that may begin with another
/// names itself, `home<T>`: two equal bases cannot lie at one address, and would take room.
namespace operators {
template <class T = void>
struct home {};
} // namespace operators

template <class A, class B>
concept symbolic_pair = (symbolic<A> || symbolic<B>) && operand<A> && operand<B>;

/// A type built over symbolic values, whose own operators with them are to be found (a matrix of them, say).
template <class T>
concept hosts_symbolic = requires { requires symbolic<typename T::value_type>; } ||
                         requires { requires symbolic<typename T::Scalar>; };

/// What all operators do: operands one of which is symbolic record the operation.
template <opcode Op, class... X>
constexpr auto record(const X&... x) {
    return apply_symbolic(op_constant<Op>{}, 0, x...);
}

/// A plain condition in arithmetic is 1 or 0.
template <class X>
constexpr decltype(auto) as_number(const X& x) {
    if constexpr (std::same_as<X, bool>) {
        return static_cast<int>(x);
    } else {
        return (x);
    }
}

/// Two operands or conditions, one of which may be plain.
template <class A, class B>
concept condition_pair = symbolic_pair<A, B> || (symbolic<A> && std::same_as<B, bool>) ||
                         (std::same_as<A, bool> && symbolic<B>);

/// What no operation takes, beside a symbolic operand: to become one is refused. (Not a template of operators that are
/// refused: clang would say so twice.)
struct refused_operand {
    // clang-format off
    template <class B>
        requires(!operand<B> && !hosts_symbolic<B> && !std::same_as<B, bool> && !std::same_as<B, refused_operand>)
    constexpr explicit(false) refused_operand(const B&) DYAD_REJECT("[dyad] operator: an operand is neither a number nor a traced value nor an expression; convert it to a number first, and pass an array as an argument of the function", {})
    // clang-format on
};

/// What a refused operation gives, and all that is computed with it: one mistake gives one message.
struct refused_result : operators::home<> {
    using dyad_symbolic = refused_result;
    constexpr explicit operator bool() const { return false; }
    template <class T>
        requires(std::is_arithmetic_v<T> || symbolic<T>)
    explicit(false) operator T() const; // (never called)
};
template <class X>
concept already_refused = std::is_base_of_v<refused_result, X>;
template <opcode Op, class Attribute, class... X>
    requires(already_refused<X> || ...)
constexpr refused_result apply_symbolic(op_constant<Op>, Attribute, const X&...) {
    return {};
}

namespace operators {

#define DYAD_BINARY_OPERATOR(pair, symbol, ...)                                                      \
    template <class A, class B>                                                                      \
        requires pair<A, B>                                                                          \
    constexpr auto operator symbol(const A& x, const B& y) {                                         \
        return __VA_ARGS__;                                                                          \
    }
DYAD_BINARY_OPERATOR(condition_pair, +, record<opcode::add>(as_number(x), as_number(y)))
DYAD_BINARY_OPERATOR(condition_pair, -, record<opcode::sub>(as_number(x), as_number(y)))
DYAD_BINARY_OPERATOR(condition_pair, *, record<opcode::mul>(as_number(x), as_number(y)))
DYAD_BINARY_OPERATOR(condition_pair, /, record<opcode::div>(as_number(x), as_number(y)))
DYAD_BINARY_OPERATOR(symbolic_pair, %, record<opcode::fmod>(x, y)) // of the whole numbers that are arguments, and count rounds
DYAD_BINARY_OPERATOR(symbolic_pair, <, record<opcode::less>(x, y))
DYAD_BINARY_OPERATOR(symbolic_pair, >, record<opcode::less>(y, x))
DYAD_BINARY_OPERATOR(symbolic_pair, <=, record<opcode::less_equal>(x, y))
DYAD_BINARY_OPERATOR(symbolic_pair, >=, record<opcode::less_equal>(y, x))
DYAD_BINARY_OPERATOR(symbolic_pair, ==, record<opcode::equal>(x, y))
DYAD_BINARY_OPERATOR(symbolic_pair, !=, record<opcode::logical_not>(record<opcode::equal>(x, y)))
DYAD_BINARY_OPERATOR(condition_pair, &&, record<opcode::logical_and>(x, y))
DYAD_BINARY_OPERATOR(condition_pair, ||, record<opcode::logical_or>(x, y))
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

/// A plain number is no place for what has a derivative: what becomes a sum begins with a traced (recorded) number.
template <class T, class A>
concept lossy_assignment = std::is_arithmetic_v<T> && symbolic<A>;
// clang-format off
template <class T, class A> requires lossy_assignment<T, A>
constexpr refused_result operator +=(T&, const A&) DYAD_REJECT("[dyad] assignment: a plain number cannot hold what is computed from a traced or recorded one; begin with such a one, as in auto sum = 0 * x[0]", { return {}; })
template <class T, class A> requires lossy_assignment<T, A>
constexpr refused_result operator -=(T&, const A&) DYAD_REJECT("[dyad] assignment: a plain number cannot hold what is computed from a traced or recorded one; begin with such a one, as in auto sum = 0 * x[0]", { return {}; })
template <class T, class A> requires lossy_assignment<T, A>
constexpr refused_result operator *=(T&, const A&) DYAD_REJECT("[dyad] assignment: a plain number cannot hold what is computed from a traced or recorded one; begin with such a one, as in auto sum = 0 * x[0]", { return {}; })
template <class T, class A> requires lossy_assignment<T, A>
constexpr refused_result operator /=(T&, const A&) DYAD_REJECT("[dyad] assignment: a plain number cannot hold what is computed from a traced or recorded one; begin with such a one, as in auto sum = 0 * x[0]", { return {}; })
// clang-format on

#define DYAD_REFUSED_OPERATOR(symbol)                                                                \
    template <symbolic A>                                                                            \
    constexpr refused_result operator symbol(const A&, const refused_operand&) {                     \
        return {};                                                                                   \
    }                                                                                                \
    template <symbolic A>                                                                            \
    constexpr refused_result operator symbol(const refused_operand&, const A&) {                     \
        return {};                                                                                   \
    }
DYAD_REFUSED_OPERATOR(+)
DYAD_REFUSED_OPERATOR(-)
DYAD_REFUSED_OPERATOR(*)
DYAD_REFUSED_OPERATOR(/)
DYAD_REFUSED_OPERATOR(<)
DYAD_REFUSED_OPERATOR(>)
DYAD_REFUSED_OPERATOR(<=)
DYAD_REFUSED_OPERATOR(>=)
DYAD_REFUSED_OPERATOR(==)
DYAD_REFUSED_OPERATOR(!=)
DYAD_REFUSED_OPERATOR(&&)
DYAD_REFUSED_OPERATOR(||)
#undef DYAD_REFUSED_OPERATOR

} // namespace operators
} // namespace dyad
