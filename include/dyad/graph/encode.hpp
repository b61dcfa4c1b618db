// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A graph as plain 64-bit words: the form in which a whole program is part of a type. Short symbols depend on
// it (about twenty characters a node), and device kernels take their programs in it. One word a node, and one
// more for constants, inputs and attributes; then the outputs. Which axes have size 1 is told only where it does not follow.
#pragma once

#include <cstddef>

#include <dyad/base/error.hpp>
#include <dyad/graph/shape.hpp>

namespace dyad {

/// `N` words; equal programs are equal values, and so equal template arguments.
template <std::size_t N>
struct code {
    std::uint64_t words[N] = {};
    friend constexpr bool operator==(const code&, const code&) = default;
};

constexpr bool has_bits(opcode op) {
    return op == opcode::constant || op == opcode::input || op == opcode::parameter || op == opcode::result ||
           facts(op).attributed;
}

/// The words of a graph: numbers of nodes, outputs and inputs; nodes; outputs.
constexpr list<std::uint64_t> encode(graph_view g) {
    if (g.size >= 0x10000 || g.output_count >= 0x10000 || g.input_count >= 0x10000) throw value_error("[dyad] expression: more than 65,535 nodes, inputs or outputs in one type");
    list<std::uint64_t> words{std::uint64_t{g.size} << 32 | std::uint64_t{g.output_count} << 16 | g.input_count};
    for (std::size_t i = 0; i < g.size; ++i) {
        const node& n = g[i];
        const bool leaf = n.arity() == 0; // a constant's operands hold digits; they get a word below
        std::uint64_t word = static_cast<std::uint64_t>(n.op) << 56 |
                             static_cast<std::uint64_t>(n.type) << 52 |
                             static_cast<std::uint64_t>(n.rank) << 48;
        for (int k = 0; k < 3 && !leaf; ++k) word |= std::uint64_t{n.operand[k]} << (16 * k);
        const bool wide = n.op == opcode::constant && (n.operand[0] != 0 || n.operand[1] != 0);
        words.push_back(word | (wide ? 1U : 0U));
        const std::uint64_t ones = n.rank != 0 && is_of_own_shape(n.op) ? std::uint64_t{n.ones} << 32 : 0; // (such bits are short ones)
        if (has_bits(n.op)) words.push_back(n.bits | ones);
        if (wide) words.push_back(std::uint64_t{n.operand[1]} << 32 | n.operand[0]);
    }
    for (std::size_t k = 0; k < g.output_count; ++k) words.push_back(g.outputs[k]);
    return words;
}

constexpr graph decode(const std::uint64_t* words) {
    graph g;
    const std::uint64_t head = *words++;
    g.input_count = head & 0xffff;
    for (std::size_t i = 0; i < head >> 32; ++i) {
        const std::uint64_t word = *words++;
        node n{.op = static_cast<opcode>(word >> 56),
               .type = static_cast<element>(word >> 52 & 0xf),
               .rank = static_cast<std::uint8_t>(word >> 48 & 0xf)};
        if (has_bits(n.op)) n.bits = *words++;
        const bool own_shape = is_of_own_shape(n.op);
        if (n.rank != 0 && own_shape) {
            n.ones = static_cast<std::uint8_t>(n.bits >> 32);
            n.bits &= 0xffffffff;
        }
        if (n.op == opcode::constant && (word & 1) != 0) {
            n.operand[0] = static_cast<node_index>(*words);
            n.operand[1] = static_cast<node_index>(*words++ >> 32);
        }
        for (int k = 0; k < 3 && n.arity() > 0; ++k) n.operand[k] = word >> (16 * k) & 0xffff; // (the third may be an asked_as)
        if (n.rank != 0 && !own_shape) set_shape(n, shape_with(n, g.nodes.data())); // which axes have size 1
        g.nodes.push_back(n);
    }
    for (std::size_t k = 0; k < (head >> 16 & 0xffff); ++k)
        g.outputs.push_back(static_cast<node_index>(*words++));
    return g;
}

template <std::size_t N>
constexpr graph decode(const code<N>& c) {
    return decode(c.words);
}

} // namespace dyad
