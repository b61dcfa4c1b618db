// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The order of nodes that depends on the formulas alone: operands before users, left before right, from the
// first output on. Equal formulas then are equal graphs, however they were built, and equal types.
#pragma once

#include <dyad/graph/graph.hpp>

namespace dyad {

/// The same graph with its nodes in canonical order, and inputs that it does not use left out.
constexpr graph canonical(graph_view g) {
    graph result;
    result.input_count = g.input_count;
    list<node_index> place(g.size, no_node);
    struct visit {
        node_index at = 0;
        int next = 0;
    };
    list<visit> path;
    for (std::size_t k = 0; k < g.output_count; ++k) {
        path.push_back({g.outputs[k], 0});
        while (!path.empty()) {
            const node_index here = path.back().at;
            const node& n = g.nodes[here];
            if (place.at[here] != no_node) {
                path.pop_back();
            } else if (path.back().next < n.arity()) {
                path.push_back({n.operand[path.back().next++], 0});
            } else {
                node moved = n;
                for (int j = 0; j < n.arity(); ++j) moved.operand[j] = place.at[n.operand[j]];
                place.at[here] = static_cast<node_index>(result.nodes.size());
                result.nodes.push_back(moved);
                path.pop_back();
            }
        }
        result.outputs.push_back(place.at[g.outputs[k]]);
    }
    return result;
}

} // namespace dyad
