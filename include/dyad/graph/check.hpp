// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What every graph must satisfy. Tests run this after each pass; it says what is wrong, and with which node.
#pragma once

#include <dyad/base/text.hpp>
#include <dyad/graph/free_parameters.hpp>

namespace dyad {

/// An empty text if the graph is well formed; otherwise the first thing that is wrong with it.
constexpr text check(graph_view g) {
    const auto fault = [](std::size_t i, std::string_view what) {
        text t("node ");
        t.append(static_cast<std::int64_t>(i)) += what;
        return t;
    };
    list<element> input_type(g.input_count, element::weak); // weak: not seen yet
    list<node_index> parameter_of_number; // by number: 1 more than the first node that is or binds it
    for (std::size_t i = 0; i < g.size; ++i) {
        const node& n = g[i];
        if (n.is(opcode::input) && n.bits < g.input_count) {
            element& seen = input_type[n.bits];
            if (!is(seen, element::weak) && seen != n.type)
                return fault(i, ": two types for one input");
            seen = n.type;
        }
        if (n.op >= opcode::count) return fault(i, ": unknown operation");
        if (n.is(opcode::input) && n.bits >= g.input_count)
            return fault(i, ": the input's number is not below the number of inputs");
        if (n.is(opcode::parameter) && n.bits >= 0x10000) return fault(i, ": a parameter whose number is none");
        if (n.is(opcode::parameter) || n.is(opcode::bind) || n.is(opcode::carry)) {
            while (parameter_of_number.count <= n.bits) parameter_of_number.push_back(0);
            node_index& first = parameter_of_number[n.bits];
            if (first != 0 && g[first - 1].type != n.type) return fault(i, ": two types for one parameter");
            if (first == 0) first = static_cast<node_index>(i + 1);
        }
        const bool of_region = is_region_operation(n.op);
        const bool names_region = n.is(opcode::result) && is_region(g[n.operand[0]].op);
        for (int k = 0; k < n.arity(); ++k) {
            if (n.operand[k] >= i) return fault(i, ": an operand does not come before its user");
            const node& x = g[n.operand[k]];
            if (is_region(x.op) && !names_region && !n.is(opcode::history))
                return fault(i, ": a loop, a branch or a rule is used without naming a result");
            if (of_region || names_region) continue;
            if ((k < conditions_of(n.op)) != (x.is(element::boolean)))
                return fault(i, ": an operand is a condition where a number belongs, or the reverse");
            if (facts(x.op).results > 1 && !n.is(opcode::result))
                return fault(i, ": an operation with several results is used without naming one");
        }
        if (!is_of_own_shape(n.op) && (shape_with(n, g.nodes).rank != n.rank || shape_with(n, g.nodes).ones != n.ones))
            return fault(i, ": another shape than its operands give");
        if (n.op > opcode::result && !of_region && facts(n.op).condition != (n.is(element::boolean)))
            return fault(i, ": the type does not fit the operation");
        if (n.is(opcode::result) && !names_region &&
            n.bits >= static_cast<std::uint64_t>(facts(g[n.operand[0]].op).results))
            return fault(i, ": names a result that the operation does not have");
    }
    const free_parameters free(g.nodes, g.size);
    for (std::size_t k = 0; k < g.output_count; ++k) {
        if (g.outputs[k] < g.size && !free.empty(g.outputs[k])) return fault(g.outputs[k], ": a parameter outlived its transform");
        if (g.outputs[k] >= g.size) return fault(g.outputs[k], ": an output that does not exist");
        if (facts(g[g.outputs[k]].op).results > 1)
            return fault(g.outputs[k], ": an output that is an operation with several results");
    }
    return {};
}

} // namespace dyad
