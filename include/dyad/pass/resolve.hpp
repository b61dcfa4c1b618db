// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A graph with loops, made ready to be taken apart (pass/levels.hpp): without what has done its work.
#pragma once

#include <dyad/graph/free_parameters.hpp>

namespace dyad {

/// The same graph in an order in which a loop comes after all that it computes on the way, for its histories too.
constexpr graph loops_last(graph_view g) {
    graph result;
    result.input_count = g.input_count;
    list<node_index> place(g.size, no_node), next_history(g.size, no_node), first_history(g.size, no_node);
    for (node_index i = 0; i < g.size; ++i) {
        if (!g[i].is(opcode::history)) continue;
        next_history[i] = first_history[g[i].operand[0]];
        first_history[g[i].operand[0]] = i;
    }
    list<node_index> path;
    for (std::size_t k = 0; k < g.output_count; ++k) {
        path.push_back(g.outputs[k]);
        while (!path.empty()) {
            const node_index here = path.back();
            const node& n = g[here];
            const std::size_t before = path.size();
            const auto want = [&](node_index x) {
                if (place[x] == no_node) path.push_back(x);
            };
            if (place[here] == no_node) {
                for (node_index h = first_history[here]; h != no_node; h = next_history[h]) want(g[h].operand[1]);
                for (int k2 = n.arity(); k2-- > 0;) want(n.operand[k2]);
            }
            if (path.size() != before) continue;
            path.pop_back();
            if (place[here] != no_node) continue;
            node moved = n;
            for (int j = 0; j < n.arity(); ++j) moved.operand[j] = place[n.operand[j]];
            place[here] = static_cast<node_index>(result.nodes.size());
            result.nodes.push_back(moved);
        }
        result.outputs.push_back(place[g.outputs[k]]);
    }
    return result;
}

/// The graph without rules and checkpoints, which have done their work, and without a loop that another one computes along.
/// (Where that other one takes part in a round of a loop around it, only within that: in the body, once it stands alone.)
constexpr graph resolved(graph_view g) {
    const free_parameters free(g.nodes, g.size);
    graph result;
    result.input_count = g.input_count;
    result.nodes = list<node>(g.size);
    list<node_index> better(g.size, no_node); // what is to be used in a node's place
    for (node_index i = 0; i < g.size; ++i) {
        result.nodes[i] = g[i];
        if (!is_loop(g[i].op)) continue;
        for (node_index j = 0; j < i; ++j) { // (what carries more comes later)
            if (g[j].op != g[i].op || g[j].bits != g[i].bits || g[j].operand[0] != g[i].operand[0]) continue;
            node_index chain = g[i].operand[1];
            while (chain != g[j].operand[1] && !g[chain].is(opcode::nothing)) chain = g[chain].operand[0];
            if (chain != g[j].operand[1]) continue;
            const list<bool> before = reached(g.nodes, g.size, {i});
            bool apart = true;
            for (node_index r = j + 1; r < i; ++r) apart = apart && !(before[r] && g[r].operand[0] == j && g[r].arity() > 0);
            if (apart && free.within(i, j)) better[j] = i;
        }
    }
    const auto best = [&](node_index x) {
        for (;;) {
            const node& n = g[x];
            if (n.is(opcode::result) && is_rule(g[n.operand[0]].op)) {
                x = g[links(g.nodes, g[n.operand[0]].operand[0])[n.bits]].operand[1];
            } else if (n.is(opcode::again)) {
                x = n.operand[0];
            } else if (better[x] != no_node) {
                x = better[x];
            } else {
                return x;
            }
        }
    };
    for (node& n : result.nodes) {
        for (int k = 0; k < n.arity(); ++k) n.operand[k] = best(n.operand[k]);
    }
    for (std::size_t k = 0; k < g.output_count; ++k) result.outputs.push_back(best(g.outputs[k]));
    builder b(&store_unchanged, g.size); // what was to be computed anew may be there already
    return b.finish(b.append(loops_last(result), true));
}

} // namespace dyad
