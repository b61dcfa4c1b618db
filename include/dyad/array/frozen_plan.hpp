// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A plan and its loops' bodies as programs keep them: in types that have the room.
#pragma once

#include <dyad/pass/lifetimes.hpp>
#include <dyad/pass/loop_body.hpp>

namespace dyad {

/// The sizes of a graph, found.
struct sized_graph {
    graph_view graph;
    dimensions sizes;

    constexpr explicit sized_graph(graph_view g) : graph(g), sizes(g) {}
};
struct sizes_room {
    std::size_t nodes = 0; ///< known before
    std::size_t sizes = 0;
};

template <auto Room>
struct frozen_sizes {
    dimension_rule rules[Room.sizes + 1] = {};
    dimension equal[Room.sizes + 1] = {};
    dimension size_of[Room.nodes + 1][max_rank] = {};
    std::size_t size_count = 0;

    /// Nothing but the count, if it has not the room.
    constexpr explicit frozen_sizes(const sized_graph& found) : size_count(found.sizes.rules.size()) {
        if (!fits()) return;
        for (std::size_t k = 0; k < size_count; ++k) {
            rules[k] = found.sizes.rules[k];
            equal[k] = found.sizes.root(static_cast<dimension>(k));
        }
        for (node_index i = 0; i < found.graph.size; ++i) {
            for (unsigned k = 0; k < found.graph[i].rank; ++k) size_of[i][k] = found.sizes.at(i, k);
        }
    }
    [[nodiscard]] constexpr sizes_room room() const { return {Room.nodes, size_count}; }
    [[nodiscard]] constexpr bool fits() const { return size_count <= Room.sizes; }
};

/// What scheduling makes of a graph.
struct scheduled_graph {
    graph_view graph;
    plan schedule;

    constexpr scheduled_graph(graph_view g, known_sizes sizes) : graph(g), schedule(dyad::schedule(g, sizes)) {}
};
struct schedule_room {
    std::size_t nodes = 0, outputs = 0; ///< known before
    std::size_t steps = 0, loops = 0, sinks = 0;
};

/// (Deep networks have a loop for every seven nodes, and some three results for each loop.)
constexpr schedule_room guess_of_schedule(graph_view g) {
    return {g.size, g.output_count, g.size, g.size / 4 + 8, g.size / 2 + g.output_count + 8};
}

/// A schedule. Memory is numbered by slots: the nodes that have an address, then copies for outputs.
template <auto Room>
struct frozen_schedule {
    static constexpr std::uint16_t no_slot = 0xffff;
    static constexpr std::size_t nodes = Room.nodes;
    plan_step steps[Room.steps + 1] = {};
    loop_plan loops[Room.loops + 1] = {};
    sink sinks[Room.sinks + 1] = {};
    std::uint16_t slot[Room.nodes + 1] = {};
    bool stored[Room.nodes + 1] = {}, shifted[Room.nodes + 1] = {}, used[Room.nodes + 1] = {};
    int time[Room.nodes + 1] = {};
    node_index host[Room.nodes + 1] = {}, guest[Room.nodes + 1] = {};
    node_index output_node[Room.outputs + 1] = {};
    node_index leaf[Room.nodes + 1] = {}, kept[Room.nodes + 1] = {}; ///< the arguments, and the nodes that have memory of their own
    std::size_t leaves = 0, kept_nodes = 0, slots = 0;
    std::size_t step_count = 0, loop_count = 0, sink_count = 0, output_count = Room.outputs;

    /// Nothing but the counts, if it has not the room.
    constexpr explicit frozen_schedule(const scheduled_graph& made)
        : step_count(made.schedule.steps.size()), loop_count(made.schedule.loops.size()), sink_count(made.schedule.sinks.size()) {
        if (!fits()) return;
        const plan& p = made.schedule;
        for (std::size_t k = 0; k < step_count; ++k) steps[k] = p.steps[k];
        for (std::size_t k = 0; k < loop_count; ++k) loops[k] = p.loops[k];
        for (std::size_t k = 0; k < sink_count; ++k) sinks[k] = p.sinks[k];
        for (std::size_t k = 0; k < output_count; ++k) output_node[k] = p.output_node[k];
        for (node_index i = 0; i < made.graph.size; ++i) guest[i] = no_node;
        for (node_index i = 0; i < made.graph.size; ++i) keep_node(made, i);
    }
    [[nodiscard]] constexpr schedule_room room() const { return {Room.nodes, Room.outputs, step_count, loop_count, sink_count}; }
    [[nodiscard]] constexpr bool fits() const { return step_count <= Room.steps && loop_count <= Room.loops && sink_count <= Room.sinks; }

private:
    constexpr void keep_node(const scheduled_graph& made, node_index i) {
        const plan& p = made.schedule;
        const node& n = made.graph[i];
        const role r = role_of(n.op);
        stored[i] = p.stored[i];
        shifted[i] = p.shifted[i];
        used[i] = p.used[i];
        time[i] = p.time[i];
        host[i] = p.host[i];
        if (host[i] != no_node) guest[host[i]] = i;
        const bool addressed = r == role::leaf || r == role::view || stored[i];
        if (n.is(opcode::input) || n.is(opcode::extent)) leaf[leaves++] = i;
        if (stored[i] && host[i] == no_node) kept[kept_nodes++] = i;
        slot[i] = addressed ? static_cast<std::uint16_t>(slots++) : no_slot;
    }
};

/// A plan: the sizes, the schedule, and who has whose memory.
template <class Sizes, class Schedule>
struct frozen_plan : Sizes, Schedule {
    /// By node: the first whose memory it takes over, when nobody needs that any more; or itself.
    node_index home[Schedule::nodes + 1] = {};

    constexpr frozen_plan(graph_view g, const Sizes& sizes, const Schedule& schedule) : Sizes(sizes), Schedule(schedule) {
        const list<node_index> found = home_finder(g, known_sizes{sizes.size_of}, schedule).run();
        for (node_index i = 0; i < g.size; ++i) home[i] = found.at[i];
    }
    /// The output whose memory node i has, or the number of outputs.
    [[nodiscard]] constexpr std::size_t claimed_by(node_index i) const {
        std::size_t k = 0;
        while (k < this->output_count && this->output_node[k] != home[i]) ++k;
        return k;
    }
};

struct loop_room {
    graph_room body;
    std::size_t loads = 0, stores = 0, places = 0;
};

/// A loop's body, what it loads and stores, and where that lies.
template <auto Room>
struct frozen_loop {
    frozen_graph<Room.body> body;
    load loaded[Room.loads + 1] = {};
    store kept[Room.stores + 1] = {};
    placement placed[Room.places] = {};
    loop_room count;

    /// Nothing but the counts, if it has not the room.
    constexpr explicit frozen_loop(const loop_code& c) : body(c.body), count{room_of(c.body), c.loads.size(), c.stores.size(), c.places.size()} {
        if (!fits()) return;
        for (std::size_t k = 0; k < count.loads; ++k) loaded[k] = c.loads[k];
        for (std::size_t k = 0; k < count.stores; ++k) kept[k] = c.stores[k];
        for (std::size_t k = 0; k < count.places; ++k) placed[k] = c.places[k];
    }
    [[nodiscard]] constexpr loop_room room() const { return count; }
    [[nodiscard]] constexpr bool fits() const {
        return body.fits() && count.loads <= Room.loads && count.stores <= Room.stores && count.places <= Room.places;
    }
};

/// A loop to read.
struct loop_view {
    unsigned rank = 0;
    graph_view body;
    const load* loaded = nullptr;
    const store* kept = nullptr;
    std::size_t loads = 0, stores = 0, places = 0;
};
template <auto Room>
constexpr loop_view view_of(unsigned rank, const frozen_loop<Room>& loop) {
    return {rank, loop.body.view(), loop.loaded, loop.kept, loop.count.loads, loop.count.stores, loop.count.places};
}
/// Whether two loops compute the same, wherever their arrays lie. (Of loops whose inputs do not have all elements that is not asked.)
constexpr bool are_alike(const loop_view& a, const loop_view& b) {
    if (a.rank != b.rank || a.body.size != b.body.size || a.loads != b.loads || a.stores != b.stores || a.places != 1 || b.places != 1) return false;
    for (std::size_t i = 0; i < a.body.size; ++i) {
        if (!(a.body[i] == b.body[i])) return false;
    }
    for (std::size_t j = 0; j < a.loads; ++j) {
        if (!(a.loaded[j].axes == b.loaded[j].axes)) return false;
    }
    for (std::size_t k = 0; k < a.stores; ++k) {
        if (a.body.outputs[k] != b.body.outputs[k] || a.kept[k].how != b.kept[k].how || !(a.kept[k].axes == b.kept[k].axes)) return false;
    }
    return true;
}

} // namespace dyad
