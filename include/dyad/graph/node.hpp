// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A node of a graph: an operation, what it computes on, and the type of what it computes. Nodes are compact
// and of one size, so that a graph is a plain array that can be a template argument. An operation with
// several results is one node followed by `result` nodes that name them.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include <dyad/base/is.hpp>
#include <dyad/base/number.hpp>
#include <dyad/op/operations.hpp>

namespace dyad {

/// A node's place in its graph.
using node_index = std::uint32_t;

inline constexpr node_index no_node = ~node_index{0};

/// What a node's value is made of. `weak` constants take the type of what they meet; the order is the
/// order of promotion.
enum class element : std::uint8_t { boolean, weak, integer, float32, float64, float80 };
DYAD_COMPARED(element)

template <class T>
constexpr element element_of() {
    if constexpr (std::is_same_v<T, bool>) {
        return element::boolean;
    } else if constexpr (std::is_integral_v<T>) {
        return element::integer;
    } else if constexpr (std::is_same_v<T, float>) {
        return element::float32;
    } else if constexpr (std::is_same_v<T, long double>) {
        return element::float80;
    } else if constexpr (vector_like<T>) {
        return element_of<typename T::value_type>();
    } else {
        return element::float64;
    }
}

struct node {
    opcode op = opcode::constant;
    element type = element::weak;
    std::uint8_t rank = 0; ///< of an array; 0 for a number
    std::uint8_t ones = 0; ///< axes known to have size 1: bit k for the k-th axis from the end
    node_index operand[3] = {};
    std::uint64_t bits = 0; ///< a constant's bits, an input's number, an operation's attribute

    [[nodiscard]] constexpr int arity() const { return arities[op]; }
    [[nodiscard]] constexpr int attribute() const { return static_cast<int>(bits); }
    [[nodiscard]] constexpr bool is(opcode other) const { return op == other; }
    [[nodiscard]] constexpr bool is(element other) const { return type == other; }

    friend constexpr bool operator==(const node& a, const node& b) {
        return a.bits == b.bits && a.operand[0] == b.operand[0] && a.operand[1] == b.operand[1] &&
               (a.operand[2] == b.operand[2] || a.arity() < 3) && a.op == b.op && a.type == b.type && a.rank == b.rank && a.ones == b.ones;
    }
};

/// The user's function that an array operation of one or two operands is a part of, for messages: it lies where a third operand
/// would. It is nothing that the node computes, so that nodes are equal whatever they are parts of.
enum class asked_as : node_index { itself, dot, matmul, tensordot, stack, broadcast_to, softmax, log_softmax, logsumexp };
/// In the same place of an input: it is an array of conditions, which count as 1 and 0.
inline constexpr node_index given_as_conditions = 1;
constexpr asked_as asked_of(const node& n) {
    return is_array_operation(n.op) && n.arity() < 3 ? static_cast<asked_as>(n.operand[2]) : asked_as::itself;
}

/// A constant's node: `high` lies in the bits, `low` (0 unless the constant is wider than a double) in the
/// operands, which a constant does not need.
constexpr node constant_node(exact value, element type = element::weak) {
    const auto low = std::bit_cast<std::uint64_t>(value.low);
    return {.op = opcode::constant,
            .type = type,
            .operand = {static_cast<node_index>(low), static_cast<node_index>(low >> 32), 0},
            .bits = std::bit_cast<std::uint64_t>(value.high)};
}

constexpr exact constant_value(const node& n) {
    return exact::of_bits(n.bits, std::uint64_t{n.operand[1]} << 32 | n.operand[0]);
}

constexpr node input_node(std::uint32_t number, element type, int rank = 0, unsigned ones = 0) {
    return {.op = opcode::input,
            .type = type,
            .rank = static_cast<std::uint8_t>(rank),
            .ones = static_cast<std::uint8_t>(ones),
            .bits = number};
}

/// The type of an operation on operands of types `a` and `b`: the wider; whole numbers compute as double.
constexpr element promote(element a, element b) {
    const element wider = a < b ? b : a;
    return is(wider, element::integer) ? element::float64 : wider;
}

} // namespace dyad
