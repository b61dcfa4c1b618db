// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Which loops and branches of a program for a device the host runs: those of numbers, as long as no array that they read or
// keep is the device's. A loop of numbers has nothing for a device to do at once.
#pragma once

#include <dyad/graph/region.hpp>

namespace dyad::device {

/// By node: whether it is such a call. `of_numbers`: the calls whose bodies compute on numbers alone.
constexpr list<bool> host_calls(graph_view g, const list<bool>& of_numbers) {
    list<bool> hosts = of_numbers;
    const auto keeper = [&](node_index i) { return g[i].is(opcode::trail) ? g[i].operand[0] : no_node; };
    bool changed = true;
    const auto refuse = [&](node_index call) {
        if (call == no_node || !hosts[call]) return;
        hosts[call] = false;
        changed = true;
    };
    // What a call keeps is only for calls.
    for (node_index i = 0; i < g.size; ++i) {
        for (int k = 0; k < g[i].arity() && !g[i].is(opcode::entry); ++k) refuse(keeper(g[i].operand[k]));
    }
    for (std::size_t k = 0; k < g.output_count; ++k) refuse(keeper(g.outputs[k]));
    while (changed) {
        changed = false;
        for (node_index call = 0; call < g.size; ++call) {
            if (!g[call].is(opcode::call)) continue;
            for (const node_index link : links(g.nodes, g[call].operand[0])) {
                const node_index x = g[link].operand[1], kept_by = keeper(x);
                if (g[x].rank == 0) continue;
                if (kept_by == no_node || !hosts[kept_by]) refuse(call);
                if (!hosts[call]) refuse(kept_by);
            }
        }
    }
    return hosts;
}

} // namespace dyad::device
