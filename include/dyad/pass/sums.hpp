// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Sums and differences in canonical form.
#pragma once

#include <dyad/pass/algebra.hpp>

namespace dyad {

constexpr node_index algebra::add(node_index x, node_index y) {
    if (precedes(y, x)) return add(y, x); // from here on a constant is x
    const opcode p = b_.nodes.at[x].op, q = b_.nodes.at[y].op;
    if (p == opcode::constant) {
        if (q == opcode::constant) return folded_or_stored(opcode::add, x, y);
        if (fast_ && is(x, 0.0)) return y;
        if (value(x) < 0) return sub(y, constant(negated(x), x));
    }
    if (q == opcode::neg) return sub(x, operand(y));
    if (p == opcode::neg) return sub(y, operand(x));
    if (x == y) return mul(constant(exact(2), x), x);
    const bool plain_x = p != opcode::mul && p != opcode::add && p != opcode::sub;
    const bool plain_y = q != opcode::mul && q != opcode::add && q != opcode::sub;
    if (plain_x && plain_y) return store(opcode::add, x, y);

    if (negative_multiple(y)) return sub(x, neg(y));
    if (negative_multiple(x)) return sub(y, neg(x));
    if (!fast_) return store(opcode::add, x, y);
    const scaled a = as_scaled(x), b = as_scaled(y);
    if (a.body == b.body) {
        const node_index multiple = combined(opcode::add, a, b);
        return multiple != no_node ? multiple : store(opcode::add, x, y);
    }
    // (u + a) + a = u + 2a, and (c + u) + d = (c + d) + u: of one sign only, because opposite signs are how
    // compensated sums recover what rounding took.
    for (int side = 0; side < 2; ++side) {
        const node_index sum = side == 0 ? x : y, term = side == 0 ? y : x;
        if (is(sum, opcode::sub) && like_signed(operand(sum, 0), term)) // (a - u) + a = 2a - u
            return sub(add(operand(sum, 0), term), operand(sum, 1));
        for (int k = 0; k < 2 && is(sum, opcode::add); ++k) {
            const node_index inner = operand(sum, k);
            if (folds(opcode::add, inner, term) || like_signed(inner, term))
                return add(operand(sum, 1 - k), add(inner, term));
        }
    }
    return store(opcode::add, x, y);
}

constexpr node_index algebra::sub(node_index x, node_index y) {
    const bool x_constant = is(x, opcode::constant), y_constant = is(y, opcode::constant);
    if (x_constant && y_constant) return folded_or_stored(opcode::sub, x, y);
    const bool zero = is(y, 0.0) && (fast_ || std::bit_cast<std::uint64_t>(value(y)) == 0);
    if (zero) return x; // also for x = -0, the constant being +0
    if (negative_constant(y)) return add(x, constant(negated(y), y));
    if (is(y, opcode::neg)) return add(x, operand(y));
    if (negative_multiple(y)) return add(x, neg(y));
    if (fast_) {
        if (is(x, opcode::neg)) return neg(add(operand(x), y));
        if (is(x, 0.0)) return neg(y);
        if (x == y) return constant(exact(0), x);
        if (negative_multiple(x)) return neg(add(neg(x), y));
        const scaled a = as_scaled(x), b = as_scaled(y);
        if (a.body == b.body) {
            const node_index multiple = combined(opcode::sub, a, b);
            return multiple != no_node ? multiple : store(opcode::sub, x, y);
        }
        if (is(x, opcode::sub) && like_signed(operand(x, 1), y)) // (u - a) - a = u - 2a
            return sub(operand(x, 0), add(operand(x, 1), y));
        if (is(y, 1.0) && is(x, opcode::exp)) return store(opcode::expm1, operand(x));
        if (is(x, 1.0) && is(y, opcode::exp)) return neg(store(opcode::expm1, operand(y)));
    }
    return store(opcode::sub, x, y);
}

} // namespace dyad
