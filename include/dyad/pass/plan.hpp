// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What the schedule pass delivers: the loops and calls that compute a graph of arrays, in order, and where values lie.
#pragma once

#include <dyad/pass/dimensions.hpp>
#include <dyad/pass/role.hpp>

namespace dyad {

/// The sizes that a loop runs over, outermost first; axes of size 1 take no part.
struct iteration_space {
    unsigned rank = 0;
    dimension size[max_rank] = {};
    friend constexpr bool operator==(const iteration_space&, const iteration_space&) = default;
};

/// Puts its operand among zeros, so many elements further along one axis: what loops can do on their way, where they
/// ask at each element whether the operand has it.
constexpr bool can_shift(const node& n) {
    const slice_range s = decode_slice(n.bits);
    return n.is(opcode::pad) || (n.is(opcode::unslice) && s.step == 1 && s.start >= 0);
}

/// What a loop delivers: `value`, stored or accumulated, as node `node`; a number from the graph's size on means a
/// further copy for an output. A sum over a part of the loop's space is over the elements that shift `through` has.
struct sink {
    node_index node = 0, value = 0, through = no_node;
};
struct loop_plan {
    int time = 0;
    iteration_space space;
    std::size_t first = 0, count = 0; ///< of its sinks
};
struct plan_step {
    enum kind_t : std::uint8_t { view, loop, call };
    kind_t kind = view;
    node_index index = 0; ///< of the node, or of the loop
};

/// How each node of a graph comes about and how many operands it reads, asked once. (Each is a long switch, which constant
/// evaluation goes through from the top.)
struct node_facts {
    list<role> role_of;
    list<int> reads;

    constexpr explicit node_facts(graph_view g) : role_of(g.size), reads(g.size) {
        for (node_index i = 0; i < g.size; ++i) {
            role_of.at[i] = dyad::role_of(g[i].op);
            reads.at[i] = operands_read(g[i]);
        }
    }
};

struct plan {
    list<plan_step> steps;
    list<loop_plan> loops;
    list<sink> sinks;
    list<bool> stored;            ///< by node: it has memory of its own
    list<bool> used;              ///< by node: an output needs its value, not only its shape
    list<bool> shifted;           ///< by node: its operand is read, or computed, where it lies in the loop
    list<int> time;               ///< by node: when it is computed
    list<node_index> output_node; ///< by output: the node whose memory it is, or no_node for a copy
    list<node_index> host;        ///< by node: the node of whose memory its own is a part, or no_node
};

} // namespace dyad
