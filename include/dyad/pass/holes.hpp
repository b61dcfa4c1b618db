// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Where cotangents have zeros that say that nothing comes, and where that matters: elements that nobody has picked, branches that a
// loop has not taken. Such a zero must not meet an infinite slope.
#pragma once

#include <dyad/graph/builder.hpp>

namespace dyad {

/// Operations on arrays of which not all elements of an operand go on: the cotangents of the others are 0.
constexpr bool leaves_holes(opcode op) {
    switch (op) {
    case opcode::slice:
    case opcode::take:
    case opcode::at:
    case opcode::diagonal:
    case opcode::triangle:
    case opcode::window:
    case opcode::pool:
    case opcode::reduce_max:
    case opcode::reduce_min: return true;
    default: return false;
    }
}
/// Operations on arrays that give a cotangent's elements as they are, each to one or several of the operand's.
constexpr bool keeps_zeros(opcode op) {
    switch (op) {
    case opcode::reduce_sum:
    case opcode::expand:
    case opcode::squeeze:
    case opcode::transpose:
    case opcode::flip:
    case opcode::reshape:
    case opcode::reshape_like:
    case opcode::broadcast_like:
    case opcode::pad:
    case opcode::concat:
    case opcode::shift: return true;
    default: return leaves_holes(op);
    }
}
/// Whether an operation has infinite slopes, or none, at the ends of where it is defined.
constexpr bool has_infinite_slopes(const builder& b, const node& n) {
    switch (n.op) {
    case opcode::div: return !b.is_constant(n.operand[1]);
    case opcode::ipow: return n.attribute() < 1;
    case opcode::sqrt:
    case opcode::cbrt:
    case opcode::log:
    case opcode::log2:
    case opcode::log10:
    case opcode::log1p:
    case opcode::asin:
    case opcode::acos:
    case opcode::acosh:
    case opcode::atanh:
    case opcode::pow:
    case opcode::xlogy:
    case opcode::tgamma:
    case opcode::lgamma:
    case opcode::digamma:
    case opcode::polygamma: return true;
    default: return false;
    }
}

} // namespace dyad
