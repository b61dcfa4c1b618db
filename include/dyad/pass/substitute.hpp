// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Nodes with others in the place of some that they are computed from.
#pragma once

#include <dyad/graph/region.hpp>

namespace dyad {

/// A copy of a loop, on the same parameters. A loop gives the histories of all values that are asked of its rounds, so it comes after all
/// that these need; where a new value needs what comes after the loop, as in rounds that go back, the copy gives that one. (As a node it
/// differs by the end of its chain.)
constexpr node_index another_loop(builder& b, node_index loop) {
    std::uint64_t copies = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        if (b.nodes.at[i].is(opcode::nothing) && b.nodes.at[i].bits > copies) copies = b.nodes.at[i].bits;
    }
    node_index chain = b.add({.op = opcode::nothing, .bits = copies + 1});
    for (const node_index i : bindings(b.nodes.data(), loop)) {
        node n = b[i];
        n.operand[0] = chain;
        chain = b.add(n);
    }
    node n = b[loop];
    n.operand[1] = chain;
    return b.add(n);
}

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
    list<node_index> loops, copies; // of loops whose histories change, though they do not
    for (node_index i = begin; i < end; ++i) {
        if (!wanted.at[i] || moved.at[i - begin] != 0) continue;
        node n = b.nodes.at[i];
        bool depends = false;
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
            const node_index x = n.operand[k];
            n.operand[k] = place(x);
            depends = depends || n.operand[k] != x;
        }
        if (depends && n.is(opcode::history) && n.operand[0] == b.nodes.at[i].operand[0]) {
            std::size_t k = 0;
            while (k < loops.size() && loops[k] != n.operand[0]) ++k;
            if (k == loops.size()) {
                loops.push_back(n.operand[0]);
                copies.push_back(another_loop(b, n.operand[0]));
            }
            n.operand[0] = copies[k];
        }
        if (depends) moved.at[i - begin] = (n.is(opcode::at) ? at(b, n.operand[0], n.operand[1]) : b.emit(n)) + 1;
    }
    list<node_index> result;
    for (const node_index r : roots) result.push_back(place(r));
    return result;
}

} // namespace dyad
