// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Elements that nobody has picked have zeros for cotangents; so have all but one in each direction of a Jacobian. Such a zero is
// structural: it must not meet an infinite slope. (Which elements these are follows from the program, never from a zero that was computed:
// derivatives of derivatives go through it.)
#pragma once

#include <dyad/graph/builder.hpp>

namespace dyad {

/// Whether not all elements of an operand go on: the cotangents of the others are nothing.
constexpr bool leaves_holes(const node& n) {
    switch (n.op) {
    case opcode::slice:
    case opcode::diagonal:
    case opcode::triangle: return true;
    default: return false;
    }
}
/// Whether an operation on arrays moves elements as they are, each to one or several places, or adds some: 0 where all are 0.
constexpr bool moves_elements(const node& n) {
    switch (n.op) {
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
    default: return leaves_holes(n);
    }
}
/// Whether an operation has infinite slopes, or none: at the ends of where it is defined, or where it overflows.
constexpr bool has_infinite_slopes(const builder& b, const node& n) {
    switch (n.op) {
    case opcode::div: return !b.is_constant(n.operand[1]);
    case opcode::exp:
    case opcode::exp2:
    case opcode::expm1:
    case opcode::sinh:
    case opcode::cosh:
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
