// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// How the value of an operation comes about, and which of its operands it reads: what plans of arrays are made by, and what the
// adjoints of loops keep or compute again.
#pragma once

#include <dyad/base/is.hpp>
#include <dyad/graph/attribute.hpp>
#include <dyad/graph/node.hpp>

namespace dyad {

/// How a node comes about.
enum class role : std::uint8_t {
    constant,
    leaf,        ///< an argument, or a number that follows from sizes
    view,        ///< the memory of another node, read in another way
    elementwise, ///< computed in loops, stored or not
    reduction,   ///< accumulated in a loop
    call,        ///< computed by a routine of its own, from memory to memory
    link         ///< names an operand of a loop or a branch
};
DYAD_COMPARED(role)

constexpr role role_of(opcode op) {
    switch (op) {
    case opcode::constant:
    case opcode::nothing: return role::constant;
    case opcode::entry: return role::link;
    case opcode::input:
    case opcode::extent: return role::leaf;
    case opcode::expand:
    case opcode::squeeze:
    case opcode::transpose:
    case opcode::flip:
    case opcode::slice:
    case opcode::diagonal:
    case opcode::unfold:
    case opcode::window:
    case opcode::result: // of a loop or a branch
    case opcode::trail:
    case opcode::at: return role::view;
    case opcode::reduce_sum:
    case opcode::reduce_prod:
    case opcode::reduce_max:
    case opcode::reduce_min: return role::reduction;
    case opcode::broadcast_like:
    case opcode::fill:
    case opcode::fill_like: return role::elementwise; // the operand's value, for more elements
    default: return is_array_operation(op) ? role::call : role::elementwise;
    }
}

/// The operands that are read; of the others only the shape counts.
constexpr int operands_read(const node& n) {
    if (is_of_shape(n.op)) return 1;
    switch (n.op) {
    case opcode::at: return 1;
    case opcode::extent:
    case opcode::eye_like:
    case opcode::outer_like: return 0;
    case opcode::conv2d_images:
    case opcode::conv2d_kernels: return 2;
    case opcode::pool_cotangent: return decode_pool(n.bits).largest ? 3 : 1;
    default: return n.arity();
    }
}

} // namespace dyad
