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

/// A sweep from outputs backwards to the nodes `by`. A node of `by` counts as independent even if it is computed from another one.
template <class Rules = every_rule>
class reverse_sweep {
public:
    constexpr reverse_sweep(builder& b, const list<node_index>& outputs, const list<node_index>& by)
        : end(end_of(outputs)), b_(b), by_(by), active_(depends_on(b, by, wanted_for(b, outputs), end)), adjoint_(b.size()), leaf_(b.size()), sum_(b) {
        for (const node_index i : by) leaf_[i] = true;
    }

    const node_index end; ///< behind the nodes to visit, the last one first

    /// Adds to the cotangent of a node.
    constexpr void add(node_index x, const contribution& part) { adjoint_[x] = sum_.plus(adjoint_[x], part); }
    [[nodiscard]] constexpr const contribution& cotangent(node_index x) const { return adjoint_.at[x]; }
    /// Whether a cotangent has come to a node that is to hand it on, or to a node of `by`.
    [[nodiscard]] constexpr bool reached(node_index i) const { return adjoint_.at[i].value != no_node && active_.at[i]; }
    [[nodiscard]] constexpr bool independent(node_index i) const { return leaf_.at[i]; }

    /// Hands the cotangent of a node on to its operands.
    constexpr void visit(node_index i) {
        if (is_region_operation(b_.nodes.at[i].op)) {
            if (!active_.at[i] || leaf_.at[i]) return;
            independent_results aside(b_, i, by_, adjoint_);
            b_.regions->pull(b_, i, by_, active_, adjoint_);
            aside.give_back();
            return;
        }
        if (!reached(i) || leaf_.at[i]) return;
        const node n = b_.nodes.at[i]; // a copy: partial derivatives append nodes
        const int arity = arities.of[static_cast<std::size_t>(n.op)];
        for (int k = 0; k < arity; ++k) {
            const node_index x = n.operand[k];
            if (!active_.at[x] || n.is(opcode::result)) continue; // whose operation asks for its adjoint
            const contribution part = is_array_operation(n.op) ? of_array(n, i, k) : of_number(n, i, k);
            if (part.value != no_node) adjoint_.at[x] = adjoint_.at[x].value == no_node ? part : sum_.plus(adjoint_.at[x], part);
        }
    }

    /// What has come to the nodes `by`, as numbers.
    [[nodiscard]] constexpr list<node_index> cotangents() {
        list<node_index> result;
        for (const node_index i : by_) result.push_back(b_.broadcast_to(sum_.number(adjoint_[i], b_[i].type), i));
        return result;
    }

private:
    constexpr contribution of_array(const node& n, node_index i, int k) {
        const contribution whole = adjoint_.at[i];
        const node_index cotangent = sum_.number(whole);
        contribution part = sum_.of(b_.arrays->pull(b_, i, k, cotangent));
        if (leaves_holes(n) || (moves_elements(n) && (whole.mask != no_node || whole.picked != no_node)))
            part.picked = b_.arrays->pull(b_, i, k, sum_.picks(whole, b_.broadcast_to(b_.constant(exact(1), n.type), cotangent)));
        return part;
    }
    constexpr contribution of_number(const node& n, node_index i, int k) {
        const contribution& whole = adjoint_.at[i];
        const contribution part = sum_.times(whole.picked != no_node && infinite_.in_slopes(b_, i, end) ? sum_.masked(whole) : whole, rules_.partial_derivative(b_, n, i, k));
        return n.rank != 0 ? sum_.narrowed(part, i, n.operand[k]) : part;
    }

    builder& b_;
    const list<node_index>& by_;
    list<bool> active_;
    list<contribution> adjoint_;
    list<bool> leaf_;
    contributions sum_;
    infinities infinite_;
    rule_lookup<Rules> rules_;
};

/// The cotangents of the nodes `by`, given those of the outputs: Σ over outputs of cotangent·∂output/∂by; if they are `picking`
/// elements of arrays, constants of 0 and 1, their zeros are structural.
template <class Rules = every_rule>
constexpr list<node_index> pullback(builder& b, const list<node_index>& outputs,
                                    const list<node_index>& cotangents,
                                    const list<node_index>& by, bool picking = false) {
    reverse_sweep<Rules> sweep(b, outputs, by);
    for (std::size_t k = 0; k < outputs.size(); ++k) sweep.add(outputs[k], {cotangents[k], no_node, picking ? cotangents[k] : no_node});
    for (node_index i = sweep.end; i-- > 0;) sweep.visit(i);
    return sweep.cotangents();
}

} // namespace dyad
