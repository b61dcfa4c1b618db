// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What the differentiating passes ask of loops, branches and rules: a table that the builder carries, so that who has
// none of them does not compile how they are differentiated (region_derivatives.hpp).
#pragma once

#include <dyad/pass/contribution.hpp>

namespace dyad {

struct region_rules {
    /// Marks those of the wanted nodes that depend on active ones: what goes round a loop is active if it becomes so in any round.
    void (*spread)(builder&, const list<bool>& wanted, list<bool>& active);
    /// Adds to the adjoints of a region's operands what its results hand down, in a sweep to the nodes `by`.
    void (*pull)(builder&, node_index region, const list<node_index>& by, const list<bool>& active, list<contribution>& adjoint);
    /// Sets the tangents of a region's results, in a sweep from the nodes `by`.
    void (*push)(builder&, node_index region, const list<node_index>& by, const list<bool>& active, list<contribution>& tangent);
};

/// While a region is differentiated: sets aside what its results have that count as independent. (They are leaves to whoever
/// differentiates by them, whatever they are computed from: the region hands nothing on from them, and nothing to them.)
class independent_results {
public:
    constexpr independent_results(const builder& b, node_index region, const list<node_index>& by, list<contribution>& all) : all_(all) {
        for (const node_index x : by) {
            const node& n = b.nodes.at[x];
            if ((!n.is(opcode::result) && !n.is(opcode::history)) || n.operand[0] != region) continue;
            nodes_.push_back(x);
            kept_.push_back(all[x]);
            all[x] = {};
        }
    }
    constexpr void give_back() {
        for (std::size_t k = 0; k < nodes_.size(); ++k) all_[nodes_[k]] = kept_[k];
    }

private:
    list<contribution>& all_;
    list<node_index> nodes_;
    list<contribution> kept_;
};

} // namespace dyad
