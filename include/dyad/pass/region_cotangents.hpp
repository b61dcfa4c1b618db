// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What is handed down to a region: the cotangents of its results and of its histories.
#pragma once

#include <dyad/pass/contribution.hpp>
#include <dyad/pass/region_scope.hpp>

namespace dyad {

/// The adjoints of a region's results, by their number, and of its histories.
struct region_cotangents {
    list<node_index> of_result; ///< no_node where there is none
    list<node_index> values;    ///< of the histories: their values ...
    list<node_index> of_values; ///< ... and the adjoints of the histories
    bool any = false;

    constexpr region_cotangents(builder& b, node_index region, std::size_t results, const list<contribution>& adjoint)
        : of_result(results, no_node) {
        contributions sum(b);
        for (node_index i = region + 1; i < adjoint.size(); ++i) {
            if (b.nodes.at[i].operand[0] != region || adjoint.at[i].value == no_node) continue;
            const node n = b[i]; // a copy: numbers append nodes
            if (n.is(opcode::result) && n.bits < results) of_result[n.bits] = sum.number(adjoint[i]);
            if (n.is(opcode::history)) {
                values.push_back(n.operand[1]);
                const node_index cotangent = sum.number(adjoint[i]);
                of_values.push_back(b[cotangent].rank == 0 ? cotangent : b.broadcast_to(cotangent, i)); // (a number is for all)
            }
            any = any || n.is(opcode::result) || n.is(opcode::history);
        }
    }
    /// That of result k, 0 where there is none.
    constexpr node_index number(builder& b, std::size_t k, node_index like) const {
        return of_result[k] != no_node ? of_result[k] : zero_like(b, like);
    }
};

/// A parameter in the place of the cotangent of x. It has the axes of that: one number for all elements is no array of them
/// where it is added up.
constexpr node_index stand_in(builder& b, node_index x, node_index cotangent) {
    return b.parameter(b[x].type, shape_of(b[cotangent]));
}

constexpr bool is_zero(const builder& b, node_index x) {
    return b.is_constant(x) && constant_value(b[x]) == 0.0;
}

constexpr void add_to(builder& b, contribution& adjoint, node_index part) {
    if (!is_zero(b, part)) adjoint = contributions(b).plus(adjoint, {part, no_node});
}

} // namespace dyad
