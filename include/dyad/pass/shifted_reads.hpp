// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What loops read shifted, as the gradient of a stencil reads the slopes of all neighbours: at how many shifts, and what each
// would have to compute again.
#pragma once

#include <dyad/pass/timetable.hpp>

namespace dyad {

/// By node: through how many of the nodes that read it a loop shifts it, each on its own way, as in
/// unslice(2 s, 0) + unslice(3 s, 1), where s has two.
constexpr list<int> shifts_of_nodes(graph_view g, const node_facts& facts, const list<bool>& used) {
    list<int> count(g.size);
    for (node_index i = static_cast<node_index>(g.size); i-- > 0;) {
        const bool shifts = can_shift(g[i]) || (facts.role_of.at[i] == role::elementwise && count.at[i] > 0);
        for (int k = 0; k < facts.reads.at[i] && shifts && used.at[i]; ++k) ++count.at[g[i].operand[k]];
    }
    return count;
}

/// Whether a loop that computes node x has to do more than `limit` for an element: so many operations and loads. (A
/// division counts as 16; library functions are stored anyway.)
constexpr bool takes_more_than(int limit, node_index x, graph_view g, const timetable& t, const list<bool>& stored) {
    list<node_index> made{x};
    int work = 0;
    for (std::size_t at = 0; at < made.size() && work <= limit; ++at) {
        const node_index i = made.at[at];
        const bool computed = t.facts.role_of.at[i] == role::elementwise && (i == x || !stored.at[i]);
        work += computed && g[i].is(opcode::div) ? 16 : 1;
        for (int k = 0; k < t.facts.reads.at[i] && computed; ++k) {
            const node_index y = g[i].operand[k];
            bool known = t.space.at[y] == timetable::one_element;
            for (const node_index j : made) known = known || j == y;
            if (!known) made.push_back(y);
        }
    }
    return work > limit;
}

} // namespace dyad
