// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A lowered graph as a table of statements: each has the places of its operands and of its value in the local arrays of the kernel that
// runs it (kernel/scalar.hpp).
#pragma once

#include <bit>

#include <dyad/base/list.hpp>
#include <dyad/pass/region_info.hpp>

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// One statement of a program: where its value goes, where its operands lie, and its constant or attribute.
/// Numbers and conditions have places in arrays of their own; several results lie side by side.
struct statement {
    opcode op = opcode::constant;
    bool condition = false;
    node_index to = 0;
    node_index from[3] = {};
    std::uint64_t bits = 0;
    std::uint64_t low = 0; ///< of a constant
};

template <std::size_t N>
struct statements {
    statement at[N == 0 ? 1 : N] = {};
    std::size_t numbers = 0;
    std::size_t conditions = 0;
    std::size_t buffers = 0;
    std::size_t regions = 0;
    bool has_regions = false; ///< or histories that a loop around lends
};

/// How many numbers a node's value is. Those of more than one lie side by side.
constexpr int results_of(const node& n) {
    return n.op == opcode::call ? static_cast<int>(results_of_call(n)) : facts(n.op).results;
}
/// What one of the histories of loops is, or names it.
constexpr bool is_buffer(graph_view g, node_index i) {
    const opcode op = g.nodes[i].op;
    return is(op, opcode::trail) || is(op, opcode::borrowed) || (is(op, opcode::entry) && is_buffer(g, g.nodes[i].operand[1]));
}

/// Places with their reuse: a value's place is free again after its last use, so that compilers see short
/// lives and find the dead stores at once (in one long array their time grows with the square of it).
class place_pool {
public:
    constexpr node_index take() {
        if (free_.empty()) return next_++;
        const node_index place = free_.back();
        free_.pop_back();
        return place;
    }
    constexpr node_index take_row(int count) {
        const node_index first = next_;
        next_ += static_cast<node_index>(count);
        return first;
    }
    constexpr void give_back(node_index place) { free_.push_back(place); }
    [[nodiscard]] constexpr std::size_t size() const { return next_; }

private:
    list<node_index> free_;
    node_index next_ = 0;
};

template <std::size_t N>
constexpr statements<N> statements_of(graph_view g) {
    statements<N> result;
    list<node_index> last_use(N);
    for (node_index i = 0; i < N; ++i) {
        const node& n = g.nodes[i];
        const bool of_region = is_region_operation(n.op), stays = of_region && n.op != opcode::at; // what calls read
        last_use.at[i] = stays || results_of(n) > 1 ? no_node : i; // its results are its value
        if (of_region) result.has_regions = true;
        if (n.op == opcode::call && region_number(n) >= result.regions) result.regions = region_number(n) + 1;
        for (int k = 0; k < g.nodes[i].arity(); ++k) {
            node_index& last = last_use.at[g.nodes[i].operand[k]];
            if (last != no_node) last = i;
        }
    }
    for (std::size_t k = 0; k < g.output_count; ++k) last_use.at[g.outputs[k]] = no_node;
    place_pool numbers, conditions, buffers;
    for (node_index i = 0; i < N; ++i) {
        const node& n = g.nodes[i];
        statement& s = result.at[i];
        s.op = n.op;
        s.condition = n.type == element::boolean && n.op != opcode::entry;
        s.bits = n.bits;
        if (n.op == opcode::constant) s.low = std::bit_cast<std::uint64_t>(constant_value(n).low);
        for (int k = 0; k < n.arity(); ++k) {
            const node_index x = n.operand[k];
            s.from[k] = result.at[x].to;
            if (last_use.at[x] != i) continue;
            last_use.at[x] = no_node; // once, however often it is an operand
            (result.at[x].condition ? conditions : numbers).give_back(s.from[k]); // (no buffer gets here)
        }
        const bool buffer = result.has_regions && is_buffer(g, i);
        if (n.op == opcode::entry) s.bits = buffer ? 2 : g.nodes[n.operand[1]].is(element::boolean) ? 1 : 0;
        if (n.op == opcode::trail) s.bits |= std::uint64_t{region_number(g.nodes[n.operand[0]])} << 32;
        place_pool& pool = buffer ? buffers : s.condition ? conditions : numbers;
        const int results = results_of(n);
        if (n.op == opcode::result && !s.condition) {
            s.to = s.from[0] + static_cast<node_index>(n.bits);
        } else {
            s.to = results > 1 ? pool.take_row(results) : pool.take();
        }
    }
    result.numbers = numbers.size();
    result.conditions = conditions.size();
    result.buffers = buffers.size();
    return result;
}

} // namespace dyad
DYAD_BOTH_SIDES_END
