// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Nodes with others in the place of some that they are computed from.
#pragma once

#include <dyad/graph/region.hpp>

namespace dyad {

/// The nodes `roots` with each `from[k]` replaced by `to[k]`: whatever depends on them is made anew. (A parameter
/// among `from` must be free in the roots.)
constexpr list<node_index> substitute(builder& b, const list<node_index>& roots,
                                      const list<node_index>& from, const list<node_index>& to) {
    node_index begin = no_node; // what lies before all of `from` does not depend on them
    for (const node_index x : from) begin = x < begin ? x : begin;
    const node_index end = end_of(roots);
    if (begin >= end) return roots;
    const list<bool> wanted = reached(b.nodes.data(), end, roots, begin);
    list<node_index> moved(end - begin); // where a node went, counted from 1; 0: it stays
    for (std::size_t k = 0; k < from.size(); ++k) {
        if (from[k] < end) moved[from[k] - begin] = to[k] + 1;
    }
    const auto place = [&](node_index x) { return x < begin || moved.at[x - begin] == 0 ? x : moved.at[x - begin] - 1; };
    for (node_index i = begin; i < end; ++i) {
        if (!wanted.at[i] || moved.at[i - begin] != 0) continue;
        node n = b.nodes.at[i];
        bool depends = false;
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
            const node_index x = n.operand[k];
            n.operand[k] = place(x);
            depends = depends || n.operand[k] != x;
        }
        if (depends) moved.at[i - begin] = (n.is(opcode::at) ? at(b, n.operand[0], n.operand[1]) : b.emit(n)) + 1;
    }
    list<node_index> result;
    for (const node_index r : roots) result.push_back(place(r));
    return result;
}

} // namespace dyad
