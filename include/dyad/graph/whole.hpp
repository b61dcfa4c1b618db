// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Which nodes are whole numbers whatever the arguments are, though they are computed as real ones: counts, positions, what is
// rounded, sums and products of such. They may go where whole numbers are kept.
#pragma once

#include <dyad/graph/graph.hpp>

namespace dyad {

/// Whether node i, of whose operands `known` says so, is whole. What a loop or branch gives may be.
constexpr bool is_whole(graph_view g, node_index i, const list<bool>& known) {
    const node& n = g[i];
    const auto whole = [&](int k) { return known[n.operand[k]]; };
    if (n.is(element::boolean) || n.is(element::integer) || n.is(opcode::result) || is_region_operation(n.op)) return true;
    switch (n.op) {
    case opcode::constant: {
        const double value = constant_value(n).high;
        return value > -1e18 && value < 1e18 && static_cast<double>(static_cast<std::int64_t>(value)) == value;
    }
    case opcode::floor:
    case opcode::ceil:
    case opcode::round:
    case opcode::trunc:
    case opcode::sign:
    case opcode::arg_max:
    case opcode::arg_min:
    case opcode::extent:
    case opcode::eye_like:
    case opcode::outer_like: return true;
    case opcode::where: return whole(1) && whole(2);
    case opcode::add:
    case opcode::sub:
    case opcode::mul:
    case opcode::min:
    case opcode::max:
    case opcode::concat:
    case opcode::recurrence:
    case opcode::matmul: return whole(0) && whole(1);
    case opcode::scatter_add: return whole(0) && whole(2);
    case opcode::fma: return whole(0) && whole(1) && whole(2);
    case opcode::ipow: return whole(0) && n.attribute() >= 0;
    case opcode::neg:
    case opcode::abs:
    case opcode::stop_gradient:
    case opcode::triangle:
    case opcode::diagonal:
    case opcode::undiagonal: return whole(0);
    default: return ((n.op >= opcode::reduce_sum && n.op <= opcode::reduce_min) || (n.op >= opcode::fill && n.op <= opcode::fold)) && whole(0);
    }
}
constexpr list<bool> whole_nodes(graph_view g) {
    list<bool> known(g.size);
    for (std::size_t i = 0; i < g.size; ++i) known.at[i] = is_whole(g, static_cast<node_index>(i), known);
    return known;
}

} // namespace dyad
