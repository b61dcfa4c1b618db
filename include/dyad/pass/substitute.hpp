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
    node_index end = 0;
    for (const node_index r : roots) end = r + 1 > end ? r + 1 : end;
    const list<bool> wanted = reached(b.nodes.data(), end, roots);
    list<node_index> place(end, no_node);
    for (std::size_t k = 0; k < from.size(); ++k) {
        if (from[k] < end) place[from[k]] = to[k];
    }
    for (node_index i = 0; i < end; ++i) {
        if (place[i] != no_node || !wanted[i]) continue;
        node n = b[i];
        bool moved = false;
        for (int k = 0; k < n.arity(); ++k) {
            const node_index x = place[n.operand[k]];
            moved = moved || x != n.operand[k];
            n.operand[k] = x;
        }
        place[i] = !moved ? i : n.op == opcode::at ? at(b, n.operand[0], n.operand[1]) : b.emit(n);
    }
    list<node_index> result;
    for (const node_index r : roots) result.push_back(place[r]);
    return result;
}

} // namespace dyad
