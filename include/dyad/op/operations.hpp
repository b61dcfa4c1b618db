// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// All operations, and what passes and printers ask about one whose code is known only at (compile-time)
// run time.
#pragma once

#include <dyad/op/exponential.hpp>
#include <dyad/op/piecewise.hpp>
#include <dyad/op/power.hpp>
#include <dyad/op/special.hpp>
#include <dyad/op/trigonometric.hpp>

namespace dyad {

/// The facts of one operation.
struct operation_facts {
    const char* name = "";
    int arity = 0;
    int results = 1;
    bool condition = false;
    bool commutative = false;
    bool flat = false;
    bool counted = false;
    bool attributed = false;
};

/// An array operation whose derivatives are all zero. (A switch: clang takes a seventh of a millisecond to find the
/// meaning of each == between enumerators.)
constexpr bool is_flat_array_operation(opcode op) {
    switch (op) {
    case opcode::arg_max:
    case opcode::arg_min:
    case opcode::extent:
    case opcode::eye_like:
    case opcode::outer_like: return true;
    default: return false;
    }
}

template <class Operation>
constexpr operation_facts facts_of(const char* name) {
    return {name, Operation::arity, Operation::results, Operation::condition, Operation::commutative, Operation::flat, Operation::counted, Operation::attributed};
}

inline constexpr operation_facts operation_table[] = {
    {.name = "constant"},
    {.name = "input"},
    {.name = "parameter"},
    {.name = "result", .arity = 1},
#define DYAD_FACTS(op) facts_of<operation<opcode::op>>(#op),
    DYAD_OPERATIONS(DYAD_FACTS)
#undef DYAD_FACTS
#define DYAD_FACTS(op, operands)                                                                     \
    {.name = #op,                                                                                    \
     .arity = operands,                                                                              \
     .flat = is_flat_array_operation(opcode::op),                                                     \
     .counted = true,                                                                                \
     .attributed = true},
    DYAD_ARRAY_OPERATIONS(DYAD_FACTS)
#undef DYAD_FACTS
#define DYAD_FACTS(op, operands) {.name = #op, .arity = operands, .attributed = true},
    DYAD_REGION_OPERATIONS(DYAD_FACTS)
#undef DYAD_FACTS
};

constexpr const operation_facts& facts(opcode op) {
    return operation_table[static_cast<std::size_t>(op)];
}
/// The operands by which an operation has a derivative at all: a condition is not one.
constexpr bool differentiable_by(opcode op, int operand) {
    return !facts(op).flat && (!is(op, opcode::where) || operand != 0) && (!is(op, opcode::at) || operand != 1) &&
           (!is(op, opcode::copysign) || operand != 1);
}

/// The number of operands by opcode: what passes ask most often, without a call.
struct arity_table {
    int of[static_cast<std::size_t>(opcode::count)] = {};
    /// One or two operands and a result that are numbers all: so for most nodes.
    bool arithmetic[static_cast<std::size_t>(opcode::count)] = {};

    constexpr arity_table() {
        for (std::size_t i = 0; i < static_cast<std::size_t>(opcode::count); ++i)
            of[i] = operation_table[i].arity;
        for (std::size_t i = static_cast<std::size_t>(opcode::result) + 1; i < static_cast<std::size_t>(opcode::where); ++i)
            arithmetic[i] = of[i] < 3 && !operation_table[i].condition;
    }
    constexpr int operator[](opcode op) const { return of[static_cast<std::size_t>(op)]; }
};
inline constexpr arity_table arities;

/// So many of an operation's operands, the first ones, are conditions.
constexpr int conditions_of(opcode op) {
    if (is(op, opcode::where)) return 1;
    return op >= opcode::logical_not && op <= opcode::logical_or ? facts(op).arity : 0;
}

/// Whether an operation is a few instructions whose results are the same everywhere, rather than a call of a library
/// function.
constexpr bool is_inline(opcode op) {
    switch (op) {
    case opcode::constant:
    case opcode::input:
    case opcode::result:
    case opcode::neg:
    case opcode::add:
    case opcode::sub:
    case opcode::mul:
    case opcode::div:
    case opcode::fma:
    case opcode::sqrt:
    case opcode::abs:
    case opcode::sign:
    case opcode::copysign:
    case opcode::min:
    case opcode::max:
    case opcode::clamp:
    case opcode::relu:
    case opcode::where:
    case opcode::ipow:
    case opcode::direction:
    case opcode::less:
    case opcode::less_equal:
    case opcode::equal:
    case opcode::logical_not:
    case opcode::logical_and:
    case opcode::logical_or: return true;
    default: return false;
    }
}

} // namespace dyad
