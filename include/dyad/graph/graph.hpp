// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A graph is a value: nodes in topological order, and which of them are the outputs. `graph` grows and is
// what passes make; `frozen_graph` has its room in its type and is what programs keep; `graph_view` is either of them, as a pass reads it.
#pragma once

#include <cstddef>

#include <dyad/base/frozen_as.hpp>
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

constexpr graph copy_of(graph_view g) {
    graph result;
    result.input_count = g.input_count;
    result.nodes = list<node>(g.size);
    for (std::size_t i = 0; i < g.size; ++i) result.nodes.at[i] = g.nodes[i];
    for (std::size_t k = 0; k < g.output_count; ++k) result.outputs.push_back(g.outputs[k]);
    return result;
}

/// The room of a graph.
struct graph_room {
    std::size_t nodes = 0;
    std::size_t outputs = 0;
};

constexpr graph_room room_of(const graph& g) {
    return {g.nodes.count, g.outputs.count};
}

/// A graph that programs keep: a structural value with room for `Room.nodes` nodes and `Room.outputs` outputs.
template <auto Room>
struct frozen_graph {
    node nodes[Room.nodes + 1] = {};
    node_index outputs[Room.outputs + 1] = {};
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
    [[nodiscard]] constexpr graph_room room() const { return {size, output_count}; }
    [[nodiscard]] constexpr bool fits() const { return size <= Room.nodes && output_count <= Room.outputs; }
    [[nodiscard]] constexpr graph_view view() const { return {nodes, size, outputs, output_count, input_count}; }
    constexpr explicit(false) operator graph_view() const { return view(); }
};

/// The graph `Make{}()`, kept.
template <class Make, std::size_t GuessNodes, std::size_t GuessOutputs>
using frozen = frozen_as<Make, frozen_graph, graph_room{GuessNodes, GuessOutputs}>;

/// The operations in a graph that compute: not inputs, constants, comparisons, selections or the naming
/// of results.
constexpr std::size_t operation_count(graph_view g) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < g.size; ++i) count += facts(g[i].op).counted ? 1U : 0U;
    return count;
}

} // namespace dyad
