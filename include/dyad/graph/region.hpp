// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Loops, branches and rules as nodes. Their bodies are ordinary nodes of the same graph: what a body computes on is a
// parameter, bound by the loop as λ binds a variable; so what does not depend on a parameter stands outside by itself,
// and every pass simplifies bodies as it does the rest. Operands of any number are chains of nodes that begin with
// `nothing`.
//
//     loop[2 p + r](count, carries)    p: number of the index's parameter; r = 1: the index falls; above, stored_steps
//     repeat[2 p](condition, carries)  while the condition holds; p counts
//     sweep[2 p](count, carries)       a loop backwards, beside the states of another one, forwards (replays)
//     branch(condition, binds, choices)
//     custom[k](values, binds, rule)   the rule, of which kind k says (rule_kind); binds: arguments and what is captured, results,
//                                      cotangents of the results (tangents of the arguments)
//     invertible(values, binds, entries) steps of a state: binds: what is captured, the arguments, the results; entries: of
//                                      each step its results, by arguments, and its arguments, by results
//     checkpoint(values, binds, entries)
//     carry[p](rest, first, next)      a value that goes round a loop, as parameter p
//     replay[p](rest, first, next)     in a sweep: parameter p is what it was at the beginning of that round, forwards
//     bind[p](rest, value)             parameter p stands for the value
//     choice(rest, then, else), entry(rest, value)
//     history(loop, value)             what `value` was in each round: one axis more, by index
//     at(history, index)               its element at the index of the loop around
//     again(x)                         x, but computed anew from here
#pragma once

#include <dyad/graph/builder.hpp>
#include <dyad/graph/stored_steps.hpp>

namespace dyad {

/// Result of a loop that is the number of its rounds; those before are its carries.
inline constexpr std::uint64_t rounds_result = 0xffffffff;

constexpr bool is_loop(opcode op) {
    return op >= opcode::loop && op <= opcode::sweep;
}

/// The number of a loop's index parameter; whether the index falls; what its backward pass stores.
constexpr std::uint64_t index_number(const node& loop) {
    return (loop.bits & 0xffffffff) >> 1;
}
constexpr bool is_falling(const node& loop) {
    return loop.is(opcode::loop) && (loop.bits & 1) != 0;
}
constexpr stored_steps stored_by(const node& loop) {
    return stored_steps::unpacked(loop.bits >> 32);
}
constexpr std::uint64_t loop_bits(std::uint64_t index, bool falls, stored_steps how = {}) {
    return index << 1 | (falls ? 1U : 0U) | how.packed() << 32;
}

/// An operation that owns bodies.
constexpr bool is_region(opcode op) {
    return op >= opcode::loop && op <= opcode::checkpoint;
}

/// A region that computes what stands outside of it anyway, and says how it is differentiated.
constexpr bool is_rule(opcode op) {
    return op >= opcode::custom && op <= opcode::checkpoint;
}

/// What binds or lists the values of a region: no value itself.
constexpr bool is_link(opcode op) {
    return op >= opcode::nothing && op <= opcode::choice;
}

/// What the entries of a custom rule are.
enum class rule_kind : unsigned {
    pullback,    ///< the cotangents of the arguments; of what is captured, bound behind them, there are none: to differentiate by it is refused
    pushforward, ///< the tangents of the results
    equation     ///< what is 0, of the arguments, what is captured and the results; then its cotangents
};
DYAD_COMPARED(rule_kind)
constexpr rule_kind kind_of_rule(const node& custom) {
    return static_cast<rule_kind>(custom.bits);
}

/// Whether a graph needs more than straight-line code.
constexpr bool has_regions(graph_view g) {
    for (std::size_t i = 0; i < g.size; ++i) {
        if (is_region(g.nodes[i].op) || g.nodes[i].is(opcode::again)) return true;
    }
    return false;
}

/// Whether a graph works with arrays. (Loops and rules keep numbers in arrays, too.)
constexpr bool works_with_arrays(const node* nodes, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        const opcode op = nodes[i].op;
        if ((is_array_operation(op) && !is_region_operation(op)) || (is(op, opcode::input) && nodes[i].rank != 0)) return true;
    }
    return false;
}
constexpr bool works_with_arrays(graph_view g) {
    return works_with_arrays(g.nodes, g.size);
}

/// Whether a graph holds a rule of the user's: its second derivatives need not be symmetric.
constexpr bool has_rules(graph_view g) {
    for (std::size_t i = 0; i < g.size; ++i) {
        if (g.nodes[i].is(opcode::custom)) return true;
    }
    return false;
}

/// The links of a chain, first to last.
constexpr list<node_index> links(const node* nodes, node_index chain) {
    list<node_index> falling, result;
    for (node_index i = chain; !nodes[i].is(opcode::nothing); i = nodes[i].operand[0]) falling.push_back(i);
    for (std::size_t k = falling.size(); k-- > 0;) result.push_back(falling[k]);
    return result;
}

/// Those of the carries or binds of a region.
constexpr list<node_index> bindings(const node* nodes, node_index region) {
    return links(nodes, nodes[region].operand[1]);
}

/// The parameter that a carry or a bind binds.
constexpr node parameter_of(const node& link) {
    return {.op = opcode::parameter, .type = link.type, .rank = link.rank, .ones = link.ones, .bits = link.bits};
}
constexpr node index_parameter_of(const node& loop) {
    return {.op = opcode::parameter, .type = element::integer, .bits = index_number(loop)};
}

/// A chain's new link in front of `rest`; its type and shape are those of `like`.
constexpr node_index link(builder& b, opcode op, node_index rest, node_index x, node_index y = 0, std::uint64_t bits = 0) {
    node n{.op = op, .type = b[x].type, .operand = {rest, x, y}, .bits = bits};
    set_shape(n, shape_of(b[x]));
    return b.add(n);
}
/// Binds x to the parameter `own`, whose type it may not have: a selection between two constants has none yet, and what comes
/// back to a result can be wider than it.
constexpr node_index bind_to(builder& b, node_index own, node_index rest, node_index x) {
    node n{.op = opcode::bind, .type = b[own].type, .operand = {rest, x, 0}, .bits = b[own].bits};
    set_shape(n, shape_of(b[x]));
    return b.add(n);
}
constexpr node_index no_links(builder& b) {
    return b.add({.op = opcode::nothing});
}
/// A chain of entries.
constexpr node_index entries(builder& b, const list<node_index>& values) {
    node_index chain = no_links(b);
    for (const node_index value : values) chain = link(b, opcode::entry, chain, value);
    return chain;
}

/// Result `k` of a region, like node `like`.
constexpr node_index region_result(builder& b, node_index region, std::size_t k, const node& like) {
    node n{.op = opcode::result, .type = like.type, .operand = {region, 0, 0}, .bits = k};
    set_shape(n, shape_of(like));
    return b.add(n);
}

/// The type of an element in memory: conditions are kept as numbers.
constexpr element number_type_of(element type) { return is(type, element::boolean) ? element::weak : type; }

/// What `value` was in each round of the loop.
constexpr node_index history(builder& b, node_index loop, node_index value) {
    if (b[value].rank >= max_rank) throw shape_error("[dyad] loop: what its rounds keep of an array of 8 axes has more than 8");
    node n{.op = opcode::history, .type = number_type_of(b[value].type), .operand = {loop, value, 0}};
    set_shape(n, result_shape(n, b.nodes.data()));
    return b.add(n);
}

/// The element of a history, or the part of an array along its first axis, at the index of the loop around.
constexpr node_index one_at(builder& b, node_index values, node_index index) {
    node n{.op = opcode::at, .type = number_type_of(b[values].type), .operand = {values, index, 0}};
    set_shape(n, result_shape(n, b.nodes.data()));
    return b.add(n);
}
/// The same; of a sum the sum of the elements, which need not be added up for all rounds.
constexpr node_index at(builder& b, node_index values, node_index index) {
    const node v = b[values]; // a copy: sums append nodes
    if (v.rank == 0) return values;
    if (v.is(opcode::add)) {
        node_index parts[2] = {v.operand[0], v.operand[1]};
        for (node_index& part : parts) { // one that stretches along the first axis is the same at every index
            const node x = b[part];
            const bool stretches = x.rank == v.rank && ((x.ones & ~static_cast<unsigned>(v.ones)) >> (v.rank - 1U) & 1) != 0;
            if (stretches) part = b.emit({.op = opcode::squeeze, .operand = {part, 0, 0}, .bits = 1U << (v.rank - 1U)});
            if (!stretches && x.rank == v.rank) part = at(b, part, index);
        }
        return b.emit(opcode::add, parts[0], parts[1]);
    }
    return one_at(b, values, index);
}

/// Node `of`, and what is added to it; of a constant, no node and its value.
struct node_and_more {
    node_index of = no_node;
    double more = 0;
};
template <class Graph>
constexpr node_and_more without_constants(const Graph& g, node_index i) {
    const auto is_constant = [&](node_index x) { return g[x].is(opcode::constant); };
    double more = 0;
    while (true) {
        const node& n = g[i];
        if (is_constant(i)) return {no_node, more + constant_value(n).high};
        const bool sum = n.is(opcode::add), second = (sum || n.is(opcode::sub)) && is_constant(n.operand[1]);
        if (!second && !(sum && is_constant(n.operand[0]))) return {i, more};
        const double constant = constant_value(g[n.operand[second ? 1 : 0]]).high;
        more += sum ? constant : -constant;
        i = n.operand[second ? 0 : 1];
    }
}

/// Whether a plan of arrays can tell a number of rounds as a size (dimensions::rounds_of): it is a constant, an argument, all
/// elements of an array, or a few less than it has along an axis.
template <class Graph>
constexpr bool is_known_as_size(const Graph& g, node_index rounds) {
    const node_and_more parts = without_constants(g, rounds);
    if (parts.of == no_node) return true;
    const node& n = g[parts.of];
    if (!n.is(opcode::extent)) return n.is(opcode::input) && parts.more == 0;
    const unsigned axes = axes_of(n.bits), rank = g[n.operand[0]].rank;
    const bool one_axis = (axes & (axes - 1)) == 0, few_less = -parts.more >= 0 && -parts.more < slice_range::open && static_cast<int>(parts.more) == parts.more;
    return one_axis ? few_less : axes == low_bits(rank) && parts.more == 0;
}

/// The end of all that the nodes can be computed from.
constexpr node_index end_of(const list<node_index>& roots) {
    node_index end = 0;
    for (const node_index i : roots) end = i >= end ? i + 1 : end;
    return end;
}

/// Marks what the roots are computed from, with the roots; nothing before node `begin` is looked for.
constexpr list<bool> reached(const node* nodes, std::size_t size, const list<node_index>& roots, std::size_t begin = 0) {
    list<bool> result(size);
    for (const node_index r : roots) result.at[r] = true;
    for (std::size_t i = size; i-- > begin;) {
        for (int k = result.at[i] ? arities.of[static_cast<std::size_t>(nodes[i].op)] : 0; k-- > 0;) result.at[nodes[i].operand[k]] = true;
    }
    return result;
}

} // namespace dyad
