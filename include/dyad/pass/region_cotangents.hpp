// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What is handed down to a region: the cotangents of its results and of its histories.
#pragma once

#include <dyad/pass/contribution.hpp>
#include <dyad/pass/region_scope.hpp>

namespace dyad {

constexpr bool is_zero(const builder& b, node_index x) {
    return b.is_constant(x) && constant_value(b[x]) == 0.0;
}

/// `part` counts where `mask` holds.
constexpr void add_to(builder& b, contribution& adjoint, node_index part, node_index mask = no_node) {
    if (!is_zero(b, part)) adjoint = contributions(b).plus(adjoint, {part, mask});
}

/// The adjoints of a region's results, by their number, and of its histories. What follows from them is linear in them: exactly nothing
/// where all of them are.
struct region_cotangents {
    list<node_index> of_result; ///< no_node where there is none
    list<node_index> values;    ///< of the histories: their values ...
    list<node_index> of_values; ///< ... and the adjoints of the histories
    bool any = false;
    node_index mask = no_node; ///< where some of them count, if that is one condition for all elements

    constexpr region_cotangents(builder& b, node_index region, std::size_t results, const list<contribution>& adjoint)
        : of_result(results, no_node) {
        contributions sum(b);
        for (node_index i = region + 1; i < adjoint.size(); ++i) {
            if (b.nodes.at[i].operand[0] != region || adjoint.at[i].value == no_node) continue;
            const node n = b[i]; // a copy: numbers append nodes
            if (!n.is(opcode::result) && !n.is(opcode::history)) continue;
            counts_where(b, adjoint[i].mask);
            if (n.is(opcode::result) && n.bits < results) of_result[n.bits] = sum.number(adjoint[i]);
            if (n.is(opcode::history)) {
                values.push_back(n.operand[1]);
                const node_index cotangent = sum.number(adjoint[i]);
                of_values.push_back(b[cotangent].rank == 0 ? cotangent : b.broadcast_to(cotangent, i)); // (a number is for all)
            }
        }
    }
    /// That of result k, 0 where there is none.
    constexpr node_index number(builder& b, std::size_t k, node_index like) const {
        return of_result[k] != no_node ? of_result[k] : zero_like(b, like);
    }
    /// What an operand receives.
    constexpr void add_to(builder& b, contribution& adjoint, node_index part) const { dyad::add_to(b, adjoint, part, mask); }

private:
    constexpr void counts_where(builder& b, node_index condition) {
        const bool single = condition != no_node && b[condition].rank == 0, everywhere = any && mask == no_node;
        if (!single || everywhere) {
            mask = no_node;
        } else {
            mask = !any || mask == condition ? condition : b.emit(opcode::logical_or, mask, condition);
        }
        any = true;
    }
};

/// A parameter in the place of the cotangent of x. It has the axes of that: one number for all elements is no array of them
/// where it is added up.
constexpr node_index stand_in(builder& b, node_index x, node_index cotangent) {
    return b.parameter(b[x].type, shape_of(b[cotangent]));
}

} // namespace dyad
