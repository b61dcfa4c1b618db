// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A graph is a value: nodes in topological order, and which of them are the outputs. `graph` grows and is
// what passes make; `frozen_graph` has its room in its type and is what programs keep; `graph_view` is either of them, as a pass reads it.
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

/// A graph that programs keep: a structural value with room for `Nodes` nodes and `Outputs` outputs.
template <std::size_t Nodes, std::size_t Outputs>
struct frozen_graph {
    node nodes[Nodes == 0 ? 1 : Nodes] = {};
    node_index outputs[Outputs == 0 ? 1 : Outputs] = {};
    std::size_t size = 0;
    std::size_t output_count = 0;
    std::uint32_t input_count = 0;

    /// Nothing but its sizes, if it has not the room.
    constexpr explicit frozen_graph(const graph& g)
        : size(g.nodes.count), output_count(g.outputs.count), input_count(g.input_count) {
        if (!fits()) return;
        for (std::size_t i = 0; i < size; ++i) nodes[i] = g.nodes.at[i];
        for (std::size_t k = 0; k < output_count; ++k) outputs[k] = g.outputs.at[k];
    }
    [[nodiscard]] constexpr bool fits() const { return size <= Nodes && output_count <= Outputs; }
    [[nodiscard]] constexpr graph_view view() const { return {nodes, size, outputs, output_count, input_count}; }
    constexpr explicit(false) operator graph_view() const { return view(); }
};

/// The result of `Make{}()`, a graph, kept: `frozen<...>::value`. The pass runs once if it fits the guess, and once
/// more, with room for all of it, if not. (Variables of a class, because a constexpr variable in a function is
/// evaluated again with every evaluation of the function.)
template <class Make, std::size_t GuessNodes, std::size_t GuessOutputs>
struct frozen {
    static constexpr frozen_graph<GuessNodes, GuessOutputs> first{Make{}()};

    template <std::size_t Nodes, std::size_t Outputs>
    struct again {
        static constexpr frozen_graph<Nodes, Outputs> second{Make{}()};
    };
    static constexpr const auto& kept() {
        if constexpr (first.fits()) {
            return first;
        } else {
            return again<first.size, first.output_count>::second;
        }
    }
    static constexpr const auto& value = kept();
};

/// The operations in a graph that compute: not inputs, constants, comparisons, selections or the naming
/// of results.
constexpr std::size_t operation_count(graph_view g) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < g.size; ++i) count += facts(g[i].op).counted ? 1 : 0;
    return count;
}

} // namespace dyad
