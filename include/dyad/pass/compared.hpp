// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What is compared with its own largest or smallest element, or with what follows from it: as the derivative of an extremum does to
// find out which elements it was. Loops rewrite what they compute each in its own way, by roundings: where such a value is computed
// again it may equal no element any more.
#pragma once

#include <dyad/pass/plan.hpp>

namespace dyad {

/// Whether the result has the same bits wherever it is computed from the same operands.
constexpr bool is_exact(opcode op) {
    switch (op) {
    case opcode::neg:
    case opcode::abs:
    case opcode::sign:
    case opcode::min:
    case opcode::max:
    case opcode::fmin:
    case opcode::fmax:
    case opcode::clamp:
    case opcode::relu:
    case opcode::where:
    case opcode::floor:
    case opcode::ceil:
    case opcode::round:
    case opcode::trunc:
    case opcode::copysign:
    case opcode::less:
    case opcode::less_equal:
    case opcode::equal:
    case opcode::logical_not:
    case opcode::logical_and:
    case opcode::logical_or:
    case opcode::stop_gradient: return true;
    default: return is_array_operation(op); // moves
    }
}

/// Marks the nodes that loops compute, by roundings, which a reduction finds the extremum of, and which are then compared with what
/// depends on an extremum. Moved or not: moves are made in loops too.
constexpr list<bool> compared_with_extrema(graph_view g, const node_facts& facts) {
    list<bool> result(g.size), extreme(g.size), after(g.size), rounded(g.size);
    const auto moved = [&](node_index x) {
        while (facts.role_of.at[x] == role::elementwise && (g[x].is(opcode::stop_gradient) || is_array_operation(g[x].op))) x = g[x].operand[0];
        return x;
    };
    bool any = false;
    for (node_index i = 0; i < g.size; ++i) {
        const bool largest = g[i].is(opcode::reduce_max) || g[i].is(opcode::reduce_min), computed = facts.role_of.at[i] == role::elementwise;
        any = any || largest;
        after.at[i] = largest;
        rounded.at[i] = computed && !is_exact(g[i].op);
        if (largest) extreme.at[moved(g[i].operand[0])] = true;
        for (int k = 0; k < facts.reads.at[i]; ++k) {
            const node_index x = g[i].operand[k];
            after.at[i] = after.at[i] || after.at[x];
            rounded.at[i] = rounded.at[i] || (computed && rounded.at[x]);
        }
    }
    for (node_index i = 0; i < g.size && any; ++i) {
        if (!g[i].is(opcode::less) && !g[i].is(opcode::less_equal) && !g[i].is(opcode::equal)) continue;
        for (int k = 0; k < 2; ++k) {
            const node_index x = moved(g[i].operand[k]);
            if (extreme.at[x] && rounded.at[x] && after.at[g[i].operand[1 - k]]) result.at[x] = true;
        }
    }
    return result;
}

} // namespace dyad
