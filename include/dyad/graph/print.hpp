// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A graph as stable text, one line a node, and as DOT for Graphviz.
#pragma once

#include <dyad/base/decimal.hpp>
#include <dyad/graph/graph.hpp>

namespace dyad {

constexpr std::string_view name_of(element type) {
    switch (type) {
    case element::boolean: return "bool";
    case element::weak: return "weak";
    case element::integer: return "int";
    case element::float32: return "f32";
    case element::float64: return "f64";
    default: return "f80";
    }
}

/// A node by name: x0 for an input, its number for a constant, n7 for an operation.
constexpr text node_name(graph_view g, node_index i) {
    const node& n = g[i];
    text t;
    if (n.is(opcode::constant)) {
        append_decimal(t, constant_value(n).high);
    } else if (n.is(opcode::input)) {
        (t += "x").append(n.attribute());
    } else {
        (t += "n").append(i);
    }
    return t;
}

/// The operation with its attribute: "ipow[3]".
constexpr text operation_name(const node& n) {
    text t(facts(n.op).name);
    if (facts(n.op).attributed || n.is(opcode::result))
        ((t += "[").append(n.attribute())) += "]";
    return t;
}

/// For example, for f(x, y) = x y + 1:
///
///     graph(2 inputs)
///       n2: f64 = mul x0 x1
///       n4: f64 = add 1 n2
///       return n4
[[nodiscard]] constexpr text print(graph_view g) {
    text t("graph(");
    t.append(g.input_count) += g.input_count == 1 ? " input)\n" : " inputs)\n";
    for (std::size_t i = 0; i < g.size; ++i) {
        const node& n = g[i];
        if (n.is(opcode::constant) || n.is(opcode::input)) continue;
        t += "  ";
        t += node_name(g, static_cast<node_index>(i));
        ((t += ": ") += name_of(n.type)) += " = ";
        t += operation_name(n);
        for (int k = 0; k < n.arity(); ++k) (t += " ") += node_name(g, n.operand[k]);
        t += "\n";
    }
    t += "  return";
    for (std::size_t k = 0; k < g.output_count; ++k) (t += " ") += node_name(g, g.outputs[k]);
    return t += "\n";
}

/// The graph in Graphviz' language: `dot -Tsvg`.
[[nodiscard]] constexpr text to_dot(graph_view g) {
    text t("digraph dyad {\n  node [shape=box, fontname=monospace];\n");
    for (std::size_t i = 0; i < g.size; ++i) {
        const node& n = g[i];
        const bool leaf = n.is(opcode::constant) || n.is(opcode::input);
        (t += "  ").append(static_cast<std::int64_t>(i)) += " [label=\"";
        // (g++ 12 loses track of a text in a conditional expression.)
        if (leaf) t += node_name(g, static_cast<node_index>(i));
        if (!leaf) t += operation_name(n);
        t += leaf ? "\", shape=ellipse];\n" : "\"];\n";
        for (int k = 0; k < n.arity(); ++k) {
            ((t += "  ").append(n.operand[k]) += " -> ").append(static_cast<std::int64_t>(i));
            if (n.arity() > 1) ((t += " [label=").append(k)) += "]";
            t += ";\n";
        }
    }
    for (std::size_t k = 0; k < g.output_count; ++k) {
        ((t += "  out").append(static_cast<std::int64_t>(k)) += " [label=\"output ")
            .append(static_cast<std::int64_t>(k));
        ((t += "\", shape=plain];\n  ").append(g.outputs[k]) += " -> out")
            .append(static_cast<std::int64_t>(k)) += ";\n";
    }
    return t += "}\n";
}

} // namespace dyad
