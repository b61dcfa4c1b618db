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
/// Whether an operation of finite operands may be infinite, or none, or have such slopes: at the ends of where it is defined, or where it
/// overflows.
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
/// Whether what an operation gives is finite for operands that are infinite, or none, too, or is no such number.
constexpr bool is_bounded(opcode op) {
    switch (op) {
    case opcode::tanh:
    case opcode::sigmoid:
    case opcode::atan:
    case opcode::erf:
    case opcode::erfc:
    case opcode::sign:
    case opcode::less:
    case opcode::less_equal:
    case opcode::equal: return true;
    default: return is_flat_array_operation(op); // positions and sizes
    }
}
/// Whether an operation has the slopes 0, 1 or -1 alone.
constexpr bool has_plain_slopes(opcode op) {
    switch (op) {
    case opcode::neg:
    case opcode::add:
    case opcode::sub:
    case opcode::abs:
    case opcode::relu:
    case opcode::where:
    case opcode::min:
    case opcode::max:
    case opcode::fmin:
    case opcode::fmax:
    case opcode::clamp: return true;
    default: return false;
    }
}
/// Which nodes may be infinite, or none, though the arguments are finite; and which may have slopes that are.
class infinities {
public:
    /// Of node i before `end`; the first question looks at all of them.
    constexpr bool in_slopes(const builder& b, node_index i, node_index end) {
        if (known_.empty()) find(b, end);
        const node& n = b.nodes.at[i];
        return is_singular(b, n) || (!has_plain_slopes(n.op) && any_operand(n));
    }

private:
    constexpr void find(const builder& b, node_index end) {
        known_ = list<bool>(end);
        for (node_index i = 0; i < end; ++i) {
            const node& n = b.nodes.at[i];
            known_.at[i] = is_singular(b, n) || (!is_bounded(n.op) && any_operand(n));
        }
    }
    [[nodiscard]] constexpr bool any_operand(const node& n) const {
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
            if (known_.at[n.operand[k]]) return true;
        }
        return false;
    }
    list<bool> known_;
};

} // namespace dyad
