// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Reverse mode: cotangents travel from the outputs to the operands, one visit a node, whatever the number of
// inputs. Nodes are appended to the builder that holds the function, so the derivative shares all it can.
#pragma once

#include <dyad/graph/region.hpp>
#include <dyad/pass/holes.hpp>
#include <dyad/pass/partial_rules.hpp>
#include <dyad/pass/region_rules.hpp>

namespace dyad {

/// Which nodes before `end` depend, differentiably, on the nodes `by`; where there are loops, of those that are wanted.
constexpr list<bool> depends_on(builder& b, const list<node_index>& by, const list<bool>& wanted, node_index end) {
    list<bool> active(b.size());
    for (const node_index i : by) active.at[i] = true;
    if (b.regions) {
        b.regions->spread(b, wanted, active);
        return active;
    }
    for (node_index i = 0; i < end; ++i) {
        const node& n = b.nodes.at[i];
        if (operation_table[static_cast<std::size_t>(n.op)].flat) continue;
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;)
            active.at[i] = active.at[i] || active.at[n.operand[k]];
    }
    return active;
}
/// With loops much is in the builder that others asked for: what these outputs need.
constexpr list<bool> wanted_for(const builder& b, const list<node_index>& outputs) {
    if (!b.regions) return {};
    return reached(b.nodes.data(), end_of(outputs), outputs);
}

/// The cotangents of the nodes `by`, given those of the outputs: Σ over outputs of cotangent·∂output/∂by; if they are `picking`
/// elements of arrays, constants of 0 and 1, their zeros are structural. A node of `by` counts as independent even if it is computed from another one.
template <class Rules = every_rule>
constexpr list<node_index> pullback(builder& b, const list<node_index>& outputs,
                                    const list<node_index>& cotangents,
                                    const list<node_index>& by, bool picking = false) {
    const node_index end = end_of(outputs);
    const list<bool> active = depends_on(b, by, wanted_for(b, outputs), end);
    list<contribution> adjoint(b.size());
    list<bool> leaf(b.size());
    for (const node_index i : by) leaf[i] = true;
    contributions sum(b);
    infinities infinite;
    const rule_lookup<Rules> rules;
    for (std::size_t k = 0; k < outputs.size(); ++k)
        adjoint[outputs[k]] = sum.plus(adjoint[outputs[k]], {cotangents[k], no_node, picking ? cotangents[k] : no_node});
    for (node_index i = end; i-- > 0;) {
        if (is_region_operation(b.nodes.at[i].op)) {
            if (!active.at[i] || leaf.at[i]) continue;
            independent_results aside(b, i, by, adjoint);
            b.regions->pull(b, i, active, adjoint);
            aside.give_back();
            continue;
        }
        if (adjoint.at[i].value == no_node || !active.at[i] || leaf.at[i]) continue;
        const node n = b.nodes.at[i]; // a copy: partial derivatives append nodes
        const int arity = arities.of[static_cast<std::size_t>(n.op)];
        for (int k = 0; k < arity; ++k) {
            const node_index x = n.operand[k];
            if (!active.at[x] || n.is(opcode::result)) continue; // whose operation asks for its adjoint
            contribution part;
            if (is_array_operation(n.op)) {
                const contribution whole = adjoint.at[i];
                const node_index cotangent = sum.number(whole);
                part = sum.of(b.arrays->pull(b, i, k, cotangent));
                if (leaves_holes(n) || (moves_elements(n) && (whole.mask != no_node || whole.picked != no_node)))
                    part.picked = b.arrays->pull(b, i, k, sum.picks(whole, b.broadcast_to(b.constant(exact(1), n.type), cotangent)));
            } else {
                const contribution& whole = adjoint.at[i];
                part = sum.times(whole.picked != no_node && infinite.in_slopes(b, i, end) ? sum.masked(whole) : whole, rules.partial_derivative(b, n, i, k));
                if (n.rank != 0) part = sum.narrowed(part, i, x);
            }
            if (part.value != no_node)
                adjoint.at[x] = adjoint.at[x].value == no_node ? part : sum.plus(adjoint.at[x], part);
        }
    }
    list<node_index> result;
    for (const node_index i : by) result.push_back(b.broadcast_to(sum.number(adjoint[i], b[i].type), i));
    return result;
}

} // namespace dyad
