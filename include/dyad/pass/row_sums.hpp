// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What the rounds of an adjoint loop add to single rows of an array, x[position] in the loop: kept round after round, and added to
// the array once, after the loop. (A round that added an array, nearly all of which is 0, would read and write all of it.)
#pragma once

#include <dyad/base/list.hpp>
#include <dyad/graph/attribute.hpp>
#include <dyad/graph/builder.hpp>
#include <dyad/pass/region_cotangents.hpp>

namespace dyad {

/// 0 for all elements.
constexpr bool is_zeros(const builder& b, node_index x) {
    return is_zero(b, x) || (b[x].is(opcode::broadcast_like) && is_zero(b, b[x].operand[0]));
}

/// Of an array of zeros the row at `position` is `value`: what the derivative of take makes.
struct row_sum {
    node_index position = no_node;
    node_index value = no_node;
    std::uint64_t bits = 0;
};

/// Takes the rows out of a sum like an array of so many axes; what is left of it, or no_node.
constexpr node_index without_rows(builder& b, node_index sum, unsigned rank, list<row_sum>& rows) {
    const node n = b[sum];
    if (is_zeros(b, sum)) return no_node;
    if (n.is(opcode::add)) {
        const node_index x = without_rows(b, n.operand[0], rank, rows), y = without_rows(b, n.operand[1], rank, rows);
        if (x == n.operand[0] && y == n.operand[1]) return sum;
        return x == no_node ? y : y == no_node ? x : b.emit(opcode::add, x, y);
    }
    const bool row = n.is(opcode::scatter_add) && (n.bits & gradient_of_take) != 0 && is_zeros(b, n.operand[0]) &&
                     b[n.operand[1]].rank == 0 && axis_of(n.bits) + 1 == rank && n.rank == rank;
    if (!row) return sum;
    rows.push_back({n.operand[1], n.operand[2], n.bits});
    return no_node;
}

/// The rows of all rounds of a loop, in an array like x.
constexpr node_index sum_of_rows(builder& b, node_index loop, node_index x, const row_sum& row) {
    const node_index like = b.emit({.op = opcode::take, .operand = {x, row.position, 0}, .bits = axis_of(row.bits)});
    const node_index values = history(b, loop, b.broadcast_to(row.value, like)), positions = history(b, loop, row.position);
    return b.emit({.op = opcode::scatter_add, .operand = {zero_like(b, x), positions, values}, .bits = row.bits});
}

} // namespace dyad
