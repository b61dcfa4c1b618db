// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A graph is a value: nodes in topological order, and which of them are the outputs. `graph` grows and is
// what passes make; `frozen_graph` has its size in its type, can be a template argument, and is what
// programs keep; `graph_view` is either of them, as a pass reads it.
#pragma once

#include <cstddef>

#include <dyad/base/list.hpp>
#include <dyad/graph/node.hpp>

namespace dyad {

/// A graph to read: nodes refer to earlier nodes only.
struct graph_view {
    const node* nodes = nullptr;
    std::size_t size = 0;
    const node_index* outputs = nullptr;
    std::size_t output_count = 0;
    std::uint32_t input_count = 0;

    constexpr const node& operator[](std::size_t i) const { return nodes[i]; }
};

/// A graph whose size is known only as it is made.
struct graph {
    list<node> nodes;
    list<node_index> outputs;
    std::uint32_t input_count = 0;

    [[nodiscard]] constexpr graph_view view() const {
        return {nodes.data(), nodes.size(), outputs.data(), outputs.size(), input_count};
    }
    constexpr explicit(false) operator graph_view() const { return view(); }
};

/// A graph of `Nodes` nodes and `Outputs` outputs: a structural value.
template <std::size_t Nodes, std::size_t Outputs>
struct frozen_graph {
    node nodes[Nodes == 0 ? 1 : Nodes] = {};
    node_index outputs[Outputs == 0 ? 1 : Outputs] = {};
    std::uint32_t input_count = 0;

    [[nodiscard]] constexpr graph_view view() const {
        return {nodes, Nodes, outputs, Outputs, input_count};
    }
    constexpr explicit(false) operator graph_view() const { return view(); }
    friend constexpr bool operator==(const frozen_graph&, const frozen_graph&) = default;
};

/// Copies a graph into a `frozen_graph` that has room for it.
template <std::size_t Nodes, std::size_t Outputs>
constexpr frozen_graph<Nodes, Outputs> copy_into(graph_view g) {
    frozen_graph<Nodes, Outputs> result{};
    for (std::size_t i = 0; i < g.size; ++i) result.nodes[i] = g.nodes[i];
    for (std::size_t i = 0; i < g.output_count; ++i) result.outputs[i] = g.outputs[i];
    result.input_count = g.input_count;
    return result;
}

/// The beginning of a larger `frozen_graph`.
template <std::size_t Nodes, std::size_t Outputs, class Larger>
constexpr frozen_graph<Nodes, Outputs> cut(const Larger& g) {
    frozen_graph<Nodes, Outputs> result{};
    for (std::size_t i = 0; i < Nodes; ++i) result.nodes[i] = g.nodes[i];
    for (std::size_t i = 0; i < Outputs; ++i) result.outputs[i] = g.outputs[i];
    result.input_count = g.input_count;
    return result;
}

/// What a constant evaluation hands back when it does not know the size beforehand: room for a guess, and
/// the true sizes.
template <std::size_t Nodes, std::size_t Outputs>
struct sized_graph {
    frozen_graph<Nodes, Outputs> content;
    std::size_t nodes = 0;
    std::size_t outputs = 0;
};

template <std::size_t Nodes, std::size_t Outputs>
constexpr sized_graph<Nodes, Outputs> sized(const graph& g) {
    const bool fits = g.nodes.size() <= Nodes && g.outputs.size() <= Outputs;
    return {fits ? copy_into<Nodes, Outputs>(g) : frozen_graph<Nodes, Outputs>{}, g.nodes.size(),
            g.outputs.size()};
}

/// The result of `Make{}()`, a graph, frozen in its exact size: `frozen<...>::value`. The pass runs once if it
/// fits the guess, and once more, with room for all of it, if not. (Variables of a class, because a constexpr
/// variable in a function is evaluated again with every evaluation of the function.)
template <class Make, std::size_t GuessNodes, std::size_t GuessOutputs>
struct frozen {
    static constexpr auto first = sized<GuessNodes, GuessOutputs>(Make{}());

    static constexpr auto exact_size() {
        if constexpr (first.nodes <= GuessNodes && first.outputs <= GuessOutputs) {
            return cut<first.nodes, first.outputs>(first.content);
        } else {
            return copy_into<first.nodes, first.outputs>(Make{}());
        }
    }
    static constexpr auto value = exact_size();
};

/// The operations in a graph that compute: not inputs, constants, comparisons, selections or the naming
/// of results.
constexpr std::size_t operation_count(graph_view g) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < g.size; ++i) count += facts(g[i].op).counted ? 1 : 0;
    return count;
}

} // namespace dyad
