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
constexpr bool is_singular(const builder& b, const node& n) {
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
/// Whether x may be infinite, or none, though the arguments are finite: a singular operation, or arithmetic on such, as far as `depth`.
constexpr bool may_be_infinite(const builder& b, node_index x, int depth = 4) {
    const node& n = b.nodes.at[x];
    switch (n.op) {
    case opcode::neg:
    case opcode::add:
    case opcode::sub:
    case opcode::mul:
    case opcode::fma:
    case opcode::where:
    case opcode::abs:
    case opcode::expand:
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0 && depth > 0;) {
            if (may_be_infinite(b, n.operand[k], depth - 1)) return true;
        }
        return false;
    default: return is_singular(b, n);
    }
}
/// Whether a derivative of an operation may be infinite, or none, because it is singular or its operands may be infinite.
constexpr bool has_infinite_slopes(const builder& b, const node& n) {
    switch (n.op) {
    case opcode::mul:
    case opcode::fma:
    case opcode::hypot:
    case opcode::atan2:
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
            if (may_be_infinite(b, n.operand[k])) return true;
        }
        return false;
    default: return is_singular(b, n);
    }
}

} // namespace dyad
