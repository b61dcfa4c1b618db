// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Cuts a graph in two by what is known first: what does not depend on the late inputs is computed once, and the
// values that the rest needs of it (the residuals) are handed over. So a pullback can be called repeatedly
// without computing the function again. Residuals are numbers: a condition is decided anew from the numbers that
// it compares.
#pragma once

#include <dyad/graph/builder.hpp>

namespace dyad {

struct split_graph {
    graph early; ///< outputs: the first `kept` outputs of the whole, then the residuals
    graph late;  ///< inputs: the residuals, then the late inputs; outputs: the other outputs
};

/// Inputs from `late_from` on are late. The first `kept` outputs must not depend on them.
constexpr split_graph split(graph_view g, std::uint32_t late_from, std::size_t kept) {
    list<bool> late(g.size), needed(g.size), again(g.size);
    const auto need = [&](node_index i) { (g[i].type == element::boolean ? again : needed)[i] = true; };
    for (std::size_t i = 0; i < g.size; ++i) {
        const node& n = g[i];
        late[i] = n.op == opcode::input && n.bits >= late_from;
        for (int k = 0; k < n.arity(); ++k) late[i] = late[i] || late[n.operand[k]];
        for (int k = 0; k < n.arity() && late[i]; ++k) need(n.operand[k]);
    }
    for (std::size_t k = kept; k < g.output_count; ++k) need(g.outputs[k]);
    for (std::size_t i = g.size; i-- > 0;) {
        for (int k = 0; k < g[i].arity() && again[i]; ++k) need(g[i].operand[k]);
    }

    builder first, second;
    list<node_index> first_place(g.size, no_node), second_place(g.size, no_node), outputs;
    list<std::size_t> residuals;
    for (std::size_t i = 0; i < g.size; ++i) {
        node n = g[i];
        if (late[i]) continue;
        for (int k = 0; k < n.arity(); ++k) n.operand[k] = first_place[n.operand[k]];
        first_place[i] = n.op == opcode::input
                             ? first.input(static_cast<std::uint32_t>(n.bits), n.type)
                             : first.add(n);
        if (needed[i] && n.op != opcode::constant) residuals.push_back(i);
    }
    for (std::size_t k = 0; k < kept; ++k) outputs.push_back(first_place[g.outputs[k]]);
    for (std::size_t r = 0; r < residuals.size(); ++r) {
        outputs.push_back(first_place[residuals[r]]);
        second_place[residuals[r]] =
            second.input(static_cast<std::uint32_t>(r), g[residuals[r]].type);
    }
    split_graph result;
    result.early = first.finish(outputs);
    result.early.input_count = late_from;

    const auto count = static_cast<std::uint32_t>(residuals.size());
    for (std::size_t i = 0; i < g.size; ++i) {
        node n = g[i];
        if (second_place[i] != no_node) continue;
        if (n.op == opcode::constant && (needed[i] || again[i])) second_place[i] = second.add(n);
        if (!late[i] && (!again[i] || n.op == opcode::constant)) continue;
        for (int k = 0; k < n.arity(); ++k) n.operand[k] = second_place[n.operand[k]];
        const auto number = static_cast<std::uint32_t>(n.bits) - late_from + count;
        second_place[i] = n.op == opcode::input && late[i] ? second.input(number, n.type) : second.add(n);
    }
    list<node_index> rest;
    for (std::size_t k = kept; k < g.output_count; ++k) rest.push_back(second_place[g.outputs[k]]);
    result.late = second.finish(rest);
    result.late.input_count = count + g.input_count - late_from;
    return result;
}

} // namespace dyad
