// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Transposed arrays, and those with axes of size 1 put in or left out, that a routine reads where they lie and a loop computes where
// it wants them: where nobody wants them unturned, the routine reads what the loop computes.
#pragma once

#include <dyad/graph/builder.hpp>
#include <dyad/pass/canonical.hpp>
#include <dyad/pass/region_info.hpp>
#include <dyad/pass/role.hpp>

namespace dyad {

/// By node: what is computed there already and is its equal; itself, mostly.
constexpr list<node_index> computed_turns(graph_view g, const array_rules& rules, const list<bool>& asked) {
    builder b(&store_unchanged, 2 * g.size);
    b.arrays = &rules;
    for (node_index i = 0; i < g.size; ++i) b.add(g[i]); // (all are different, and keep their numbers)
    list<node_index> equal(g.size);
    for (node_index i = 0; i < g.size; ++i) {
        const node_index moved = asked.at[i] ? rules.inwards(b, i) : i;
        equal.at[i] = moved < g.size ? moved : i;
    }
    return equal;
}

/// Which operations there are on arrays of which axes, as far as `of` tells them apart: nothing equal need be looked for where
/// there is none of the kind.
struct operation_kinds {
    bool there[512] = {};

    static constexpr std::size_t of(opcode op, unsigned rank, unsigned ones) {
        return (static_cast<std::size_t>(op) * 19 + rank * 131U + ones * 7U) % 512;
    }
};

/// The same graph without arrays that only a turned view of theirs needs, if that is computed as well.
constexpr graph merge_turns(graph&& whole, const array_rules& rules) {
    const graph_view g = whole;
    if (has_regions(g)) return static_cast<graph&&>(whole); // (whose nodes keep their order)
    list<int> uses(g.size);
    operation_kinds kinds;
    for (node_index i = 0; i < g.size; ++i) {
        const node& n = g.nodes[i];
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) ++uses.at[n.operand[k]];
        if (n.rank != 0) kinds.there[operation_kinds::of(n.op, n.rank, n.ones)] = true;
    }
    for (std::size_t k = 0; k < g.output_count; ++k) ++uses.at[g.outputs[k]];
    list<bool> asked(g.size);
    bool any = false;
    for (node_index i = 0; i < g.size; ++i) {
        const node& n = g.nodes[i];
        if (!is_turn(n.op) || uses.at[n.operand[0]] != 1) continue;
        const opcode inner = g.nodes[n.operand[0]].op;
        asked.at[i] = role_of(inner) == role::elementwise && kinds.there[operation_kinds::of(inner, n.rank, n.ones)];
        any = any || asked.at[i];
    }
    if (!any) return static_cast<graph&&>(whole);
    const list<node_index> equal = computed_turns(g, rules, asked);
    for (node& n : whole.nodes) {
        for (int k = n.arity(); k-- > 0;) n.operand[k] = equal.at[n.operand[k]];
    }
    return canonical(whole);
}

} // namespace dyad
