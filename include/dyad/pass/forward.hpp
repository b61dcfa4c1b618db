// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Forward mode: tangents travel from the inputs to the outputs, in the order of the program.
#pragma once

#include <dyad/graph/free_parameters.hpp>
#include <dyad/pass/reverse.hpp>

namespace dyad {

/// The tangents of the outputs, given those of the nodes `by`: Σ over by of ∂output/∂by·tangent. A tangent
/// `no_node` is a structural zero; so are the zeros of such as are `picking` elements of arrays, constants of 0 and 1.
template <class Rules = every_rule>
constexpr list<node_index> pushforward(builder& b, const list<node_index>& outputs,
                                       const list<node_index>& by,
                                       const list<node_index>& tangents, bool picking = false) {
    contributions sum(b);
    list<contribution> tangent(b.size());
    list<bool> leaf(b.size());
    for (std::size_t k = 0; k < by.size(); ++k) {
        leaf[by[k]] = true;
        tangent[by[k]] = {tangents[k], no_node, picking ? tangents[k] : no_node};
    }
    // Where there are regions, much is in the builder that others asked for; and who pushes through one pushes through its body.
    list<bool> wanted, active, inside;
    const bool regions = static_cast<bool>(b.regions);
    const node_index end = end_of(outputs);
    if (regions) {
        list<node_index> moving;
        for (std::size_t k = 0; k < by.size(); ++k) {
            if (tangents[k] != no_node) moving.push_back(by[k]);
        }
        wanted = wanted_for(b, outputs);
        active = depends_on(b, moving, wanted, end);
        inside = inside_bodies(b.nodes.data(), wanted, outputs);
    }
    infinities infinite;
    const rule_lookup<Rules> rules;
    for (node_index i = 0; i < end; ++i) {
        const opcode op = b.nodes.at[i].op;
        if (regions && (!active.at[i] || !wanted.at[i] || inside.at[i])) continue;
        if (regions && is_region_operation(op)) {
            if (leaf.at[i]) continue;
            independent_results aside(b, i, by, tangent);
            b.regions->push(b, i, by, active, tangent);
            aside.give_back();
            continue;
        }
        const int arity = arities.of[static_cast<std::size_t>(op)];
        int first = 0; // operand that moves: most nodes have none
        while (first < arity && tangent.at[b.nodes.at[i].operand[first]].value == no_node) ++first;
        if (first == arity || leaf.at[i]) continue;
        if (is(op, opcode::result) || operation_table[static_cast<std::size_t>(op)].flat) continue; // who has results sets their tangents
        const node n = b.nodes.at[i]; // a copy: partial derivatives append nodes
        for (int k = first; k < arity; ++k) {
            const node_index x = n.operand[k];
            if (tangent.at[x].value == no_node) continue;
            contribution whole = tangent.at[x], part;
            if (is_array_operation(n.op)) {
                part.value = b.arrays->push(b, i, k, sum.number(whole));
                if (moves_elements(n) && whole.picked != no_node) part.picked = b.arrays->push(b, i, k, sum.picks(whole, no_node));
            } else {
                if (b.nodes.at[x].rank < n.rank) {
                    const node_index picked = whole.picked == no_node ? no_node : b.make_room(sum.picks(whole, no_node), x, i);
                    whole = {b.make_room(sum.number(whole), x, i), no_node, picked};
                }
                part = sum.times(whole.picked != no_node && infinite.in_slopes(b, i, end) ? sum.masked(whole) : whole, rules.partial_derivative(b, n, i, k));
            }
            tangent.at[i] = sum.plus(tangent.at[i], part);
        }
    }
    list<node_index> result;
    for (const node_index i : outputs) result.push_back(b.broadcast_to(sum.number(tangent[i], b[i].type), i));
    return result;
}

} // namespace dyad
