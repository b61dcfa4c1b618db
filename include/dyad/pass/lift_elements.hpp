// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What a loop over arrays computes from elements alone, and at a price, is computed for all elements before the loop,
// where it becomes vector code: the exponentials of a likelihood, but not its recurrence.
#pragma once

#include <dyad/pass/role.hpp>
#include <dyad/pass/substitute.hpp>

namespace dyad {

/// The roots of a loop's body, recorded after its `index`, with elements of arrays computed outside where that pays.
constexpr list<node_index> lift_elements(builder& b, node_index index, const list<node_index>& roots) {
    enum source : unsigned char { outside, elements, rounds };
    const std::size_t size = b.size();
    const list<bool> wanted = reached(b.nodes.data(), size, roots);
    list<source> from(size);
    list<bool> costly(size), lifted(size);
    list<node_index> element, array;
    for (node_index i = index; i < size; ++i) {
        const node& n = b[i];
        if (!wanted[i]) continue;
        if (n.is(opcode::at) && n.operand[1] == index && from[n.operand[0]] == outside) {
            from[i] = elements;
            element.push_back(i);
            array.push_back(n.operand[0]);
            continue;
        }
        const bool by_element = role_of(n.op) == role::elementwise && !is_array_operation(n.op);
        from[i] = n.is(opcode::parameter) ? rounds : outside;
        for (int k = 0; k < n.arity(); ++k) {
            if (from[n.operand[k]] > from[i]) from[i] = from[n.operand[k]];
            costly[i] = costly[i] || costly[n.operand[k]];
        }
        for (int k = 0; k < n.arity(); ++k) {
            if (from[n.operand[k]] == elements && b[n.operand[k]].rank < n.rank) from[i] = rounds;
        }
        if (from[i] == elements && !by_element) from[i] = rounds;
        costly[i] = from[i] == elements && (costly[i] || !is_inline(n.op));
    }
    const auto lift = [&](node_index x) { lifted[x] = lifted[x] || (from[x] == elements && costly[x] && !b[x].is(element::boolean)); };
    for (node_index i = index; i < size; ++i) {
        for (int k = 0; k < b[i].arity() && wanted[i] && from[i] == rounds; ++k) lift(b[i].operand[k]);
    }
    for (const node_index root : roots) lift(root);
    list<node_index> inside, before;
    for (node_index i = index; i < size; ++i) {
        if (lifted[i]) inside.push_back(i);
    }
    for (const node_index x : substitute(b, inside, element, array)) before.push_back(at(b, x, index));
    return substitute(b, roots, inside, before);
}

} // namespace dyad
