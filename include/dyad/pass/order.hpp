// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The order of statements around library calls. Every register that holds a number is saved and restored around a
// call: so first what the calls need, then the calls, and only then what can wait. Of calls that wait for equally many others exp is the
// last: it takes the least, and a processor that is ahead of its program does best with the longest first (exp(x) sin(x) over an
// array, by glibc's vector functions on a Zen 5: 0.86 ns an element with sin first, 0.95 with exp first).
#pragma once

#include <dyad/pass/lifetime_order.hpp>

namespace dyad {

/// The same graph in an order that keeps little across calls: sorted by the calls that a node must precede.
constexpr graph order_around_calls(graph_view g) {
    const std::size_t size = g.size;
    const node* const nodes = g.nodes;
    constexpr std::uint32_t places = 3; // of a round: for what its calls need, for calls, and for those of exp
    list<std::uint32_t> level(size); // how many calls must have returned before, times places, and the place
    std::uint32_t last = 0;          // no call waits for so many
    for (std::size_t i = 0; i < size; ++i) {
        std::uint32_t before = 0;
        for (int k = arities.of[static_cast<std::size_t>(nodes[i].op)]; k-- > 0;) {
            const std::uint32_t after = (level.at[nodes[i].operand[k]] + places - 1) / places * places;
            if (after > before) before = after;
        }
        const bool call = !is_inline(nodes[i].op);
        level.at[i] = before + (!call ? 0 : nodes[i].op == opcode::exp ? 2 : 1);
        if (call && before >= last) last = before + places;
    }
    if (last == 0) return order_by_lifetimes(g);

    // The round of a call is its level; what it needs comes just before, what no call needs last of all. The round of
    // an operand is never after that of its user.
    list<std::uint32_t> round(size, last);
    list<node_index> next(std::size_t{last} + 2); // where the next node of each round goes
    for (std::size_t i = size; i-- > 0;) {
        const bool call = level.at[i] % places != 0;
        const std::uint32_t mine = call ? level.at[i] : round.at[i];
        for (int k = arities.of[static_cast<std::size_t>(nodes[i].op)]; k-- > 0;) {
            std::uint32_t& theirs = round.at[nodes[i].operand[k]];
            if (mine / places * places < theirs) theirs = mine / places * places;
        }
        round.at[i] = mine;
        ++next.at[mine + 1];
    }
    for (std::size_t r = 1; r < next.count; ++r) next.at[r] += next.at[r - 1];

    graph result;
    result.input_count = g.input_count;
    result.nodes = list<node>(size);
    list<node_index>& place = round; // which is not needed any more
    for (std::size_t i = 0; i < size; ++i) {
        place.at[i] = next.at[round.at[i]]++;
        node& moved = result.nodes.at[place.at[i]];
        moved = nodes[i];
        for (int k = arities.of[static_cast<std::size_t>(moved.op)]; k-- > 0;)
            moved.operand[k] = place.at[moved.operand[k]];
    }
    for (std::size_t k = 0; k < g.output_count; ++k) result.outputs.push_back(place.at[g.outputs[k]]);
    return result;
}

} // namespace dyad
