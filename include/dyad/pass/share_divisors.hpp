// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Quotients of many elements by what stretches (a number, one value for each row) multiply by its reciprocal, which is
// computed once and outside of the loop. Under the fast policy only: the product may differ from the quotient in the last bit.
#pragma once

#include <dyad/graph/builder.hpp>

namespace dyad {

constexpr graph share_divisors(graph_view g) {
    builder b(&store_unchanged, 2 * g.size);
    list<node_index> place(g.size);
    for (std::size_t i = 0; i < g.size; ++i) {
        node n = g[i];
        for (int k = n.arity(); k-- > 0;) n.operand[k] = place.at[n.operand[k]];
        const bool shared = n.op == opcode::div && stretched_axes(shape_of(b[n.operand[1]]), shape_of(n)) != 0;
        if (!shared) {
            place.at[i] = b.add(n);
            continue;
        }
        const node divisor = b[n.operand[1]];
        if (divisor.op == opcode::constant) {
            place.at[i] = b.add(n); // the kernel's own passes know what to do
            continue;
        }
        const node_index one = b.constant(exact(1), n.type);
        node reciprocal{.op = opcode::div, .type = n.type, .operand = {one, n.operand[1], 0}};
        set_shape(reciprocal, shape_of(divisor));
        n.op = opcode::mul;
        n.operand[1] = b.add(reciprocal);
        place.at[i] = b.add(n);
    }
    return b.finish_copy(g, place);
}

} // namespace dyad
