// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Which second derivatives an operation has: by pairs of its operands, those that may be other than zero. The one
// table; what it does not name has them all.
#pragma once

#include <dyad/op/operations.hpp>

namespace dyad {

/// Sets of pairs of the operands x, y, z.
namespace operand_pairs {
inline constexpr unsigned none = 0, xx = 1, yy = 2, zz = 4, xy = 8, xz = 16, yz = 32, all = 63;
}

/// The pairs (u, v) of operands with ∂²op/∂u∂v ≠ 0 somewhere. Operations made of straight pieces (where, max, abs) have
/// none, as their rules say: the derivative of a slope that is constant on each piece is zero.
constexpr unsigned second_derivatives(opcode op) {
    if (facts(op).flat) return operand_pairs::none;
    switch (op) {
    case opcode::neg:
    case opcode::add:
    case opcode::sub:
    case opcode::where:
    case opcode::abs:
    case opcode::relu:
    case opcode::max:
    case opcode::min:
    case opcode::fmax:
    case opcode::fmin:
    case opcode::clamp:
    case opcode::copysign:
    case opcode::fmod:
    case opcode::result:
    case opcode::at:
    case opcode::again: return operand_pairs::none;
    case opcode::mul:
    case opcode::fma: return operand_pairs::xy;
    case opcode::div:
    case opcode::xlogy: return operand_pairs::xy | operand_pairs::yy;
    default: return operand_pairs::all;
    }
}

} // namespace dyad
