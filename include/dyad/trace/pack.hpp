// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Between expressions' types and graphs: the words that a graph becomes in a type, and the graphs of several expressions
// together in one builder. No templates where none need be: every operator on expressions runs through here.
#pragma once

#include <dyad/graph/builder.hpp>
#include <dyad/graph/encode.hpp>
#include <dyad/pass/canonical.hpp>
#include <dyad/pass/simplify.hpp>
#include <dyad/trace/leaves.hpp>

namespace dyad {

/// The words of a graph, and which of the inputs it uses.
struct graph_words {
    list<std::uint64_t> words;
    list<std::uint32_t> numbers;
};
/// Puts a graph in canonical order, leaves out those of its `inputs` inputs that it does not use, and encodes it: all that an
/// operator does at compile time, in one evaluation.
constexpr graph_words pack(const graph& made, std::size_t inputs) {
    graph_words result;
    graph g = canonical(made);
    list<bool> used(inputs + 1);
    for (std::size_t i = 0; i < g.nodes.count; ++i) {
        if (g.nodes.at[i].is(opcode::input)) used.at[g.nodes.at[i].bits] = true;
    }
    list<std::uint32_t> number(inputs + 1);
    for (std::uint32_t k = 0; k < inputs; ++k) {
        number.at[k] = static_cast<std::uint32_t>(result.numbers.count);
        if (used.at[k]) result.numbers.push_back(k);
    }
    g.input_count = static_cast<std::uint32_t>(result.numbers.count);
    if (result.numbers.count < inputs) {
        for (std::size_t i = 0; i < g.nodes.count; ++i) {
            if (g.nodes.at[i].is(opcode::input)) g.nodes.at[i].bits = number.at[g.nodes.at[i].bits];
        }
        g = canonical(simplify(g)); // formulas of renumbered inputs have another order
    }
    // What folded to a number is the literal: d(x·x)/dw is 0_c. (A float stays one.)
    if (node& n = g.nodes.at[0]; g.nodes.count == 1 && n.is(opcode::constant) && n.is(element::float64)) n.type = element::weak;
    result.words = encode(g);
    return result;
}

/// The same as a constant, with room for `Words` words; where they are more, only their number.
template <std::size_t Words, std::size_t Inputs>
struct packed_graph {
    std::uint64_t words[Words] = {};
    std::uint32_t numbers[Inputs + 1] = {};
    std::size_t size = 0;
    std::size_t used = 0;
};
template <std::size_t Words, std::size_t Inputs>
constexpr packed_graph<Words, Inputs> packed_words(const graph_words& made) {
    packed_graph<Words, Inputs> result;
    result.size = made.words.count;
    result.used = made.numbers.count;
    for (std::size_t i = 0; i < made.words.count && i < Words; ++i) result.words[i] = made.words.at[i];
    for (std::size_t k = 0; k < made.numbers.count; ++k) result.numbers[k] = made.numbers.at[k];
    return result;
}

/// Appends the graphs of expressions to a builder, one after the other; their inputs are what their leaves became in a merge.
struct merged_graphs {
    builder& b;
    const leaf_source* next; ///< the sources of the next expression's leaves

    /// Appends one expression's graph; returns its output.
    constexpr node_index append(graph_view g) {
        list<node_index> inputs(g.input_count + 1);
        // With its inputs where they were, the graph is simplified already; what an array operation became depends on others.
        bool simplified = !b.arrays->for_arrays;
        for (std::size_t i = 0; i < g.size; ++i) {
            const node& n = g.nodes[i];
            if (!n.is(opcode::input)) continue;
            const std::size_t to = next[n.bits].to;
            inputs.at[n.bits] = b.input(static_cast<std::uint32_t>(to), n.type, shape_of(n));
            simplified = simplified && to == n.bits;
        }
        next += g.input_count;
        return b.append(g, inputs, simplified)[0];
    }
    constexpr node_index append(const std::uint64_t* words) { return append(decode(words)); }
};

} // namespace dyad
