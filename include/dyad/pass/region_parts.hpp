// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Looks a graph with loops and branches through, once, for all that taking it apart asks (levels.hpp): which regions there
// are, what of each is needed, and what its body captures. (`View` is graph_view: templates, so that who has no regions does not
// compile them.)
#pragma once

#include <dyad/graph/free_parameters.hpp>

namespace dyad {

/// A region, and where in one list of nodes (region_parts_view::entries) those stand that belong to it.
struct region_part {
    enum group {
        binds,     ///< all that it binds
        results,   ///< nodes that name its results
        histories, ///< of its rounds
        used,      ///< those of the binds whose parameters or results are needed
        numbers,   ///< what its body captures: numbers ...
        buffers,   ///< ... and histories or arrays
        groups
    };
    node_index at = no_node;
    node_index begin[groups + 1] = {}; ///< of each group, and the end of the last
};

/// Nodes that stand one after the other.
struct node_range {
    const node_index* first = nullptr;
    std::size_t count = 0;

    [[nodiscard]] constexpr std::size_t size() const { return count; }
    [[nodiscard]] constexpr node_index operator[](std::size_t k) const { return first[k]; }
    [[nodiscard]] constexpr const node_index* begin() const { return first; }
    [[nodiscard]] constexpr const node_index* end() const { return first + count; }
};

/// The regions of a graph, to read.
struct region_parts_view {
    const region_part* parts = nullptr;
    std::size_t count = 0;
    const node_index* entries = nullptr;
    const bool* needed = nullptr; ///< by node: outside of the bodies
    const bool* bound = nullptr;  ///< by node: its value depends on a parameter

    [[nodiscard]] constexpr node_range of(std::size_t k, region_part::group which) const {
        const region_part& p = parts[k];
        return {entries + p.begin[which], p.begin[which + 1] - p.begin[which]};
    }
};

/// The same as lists, and with its room in its type.
struct region_parts {
    list<region_part> parts;
    list<node_index> entries;
    list<bool> needed, bound;

    [[nodiscard]] constexpr region_parts_view view() const { return {parts.data(), parts.size(), entries.data(), needed.data(), bound.data()}; }
};
struct region_parts_room {
    std::size_t nodes = 0, parts = 0, entries = 0;
};
template <auto Room>
struct frozen_region_parts {
    region_part parts[Room.parts + 1] = {};
    node_index entries[Room.entries + 1] = {};
    bool needed[Room.nodes + 1] = {}, bound[Room.nodes + 1] = {};
    region_parts_room size;

    /// Nothing but its sizes, if it has not the room.
    constexpr explicit frozen_region_parts(const region_parts& p) : size{p.needed.count, p.parts.count, p.entries.count} {
        if (!fits()) return;
        for (std::size_t k = 0; k < size.parts; ++k) parts[k] = p.parts.at[k];
        for (std::size_t k = 0; k < size.entries; ++k) entries[k] = p.entries.at[k];
        for (std::size_t i = 0; i < size.nodes; ++i) {
            needed[i] = p.needed.at[i];
            bound[i] = p.bound.at[i];
        }
    }
    [[nodiscard]] constexpr region_parts_room room() const { return size; }
    [[nodiscard]] constexpr bool fits() const { return size.nodes <= Room.nodes && size.parts <= Room.parts && size.entries <= Room.entries; }
    [[nodiscard]] constexpr region_parts_view view() const { return {parts, size.parts, entries, needed, bound}; }
};

/// The choice that a result of a branch is: its two values are operands 1 and 2.
constexpr const node& choice_of(graph_view g, node_index branch, node_index result) {
    return g[links(g.nodes, g[branch].operand[2])[g[result].bits]];
}

/// What the body under some roots computes, found from the roots down, each node once.
template <class View>
class body_search {
public:
    list<bool> inside;         ///< what is looked at: also what is captured
    list<node_index> captured; ///< what does not depend on any parameter, but constants
    node_index lowest = no_node;

    constexpr body_search(View g, const bool* bound) : inside(g.size), g_(g), bound_(bound) {}

    constexpr void add(node_index root) {
        enter(root);
        while (!pending_.empty()) {
            const node_index i = pending_.back();
            pending_.pop_back();
            const node& n = g_.nodes[i];
            // (A loop that is the same in every round, but keeps something that is not, runs inside.)
            if (!bound_[i] && !is_link(n.op) && !is_region(n.op)) {
                if (!n.is(opcode::constant)) captured.push_back(i);
                continue;
            }
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) enter(n.operand[k]);
        }
    }

private:
    constexpr void enter(node_index i) {
        if (inside.at[i]) return;
        inside.at[i] = true;
        pending_.push_back(i);
        if (i < lowest) lowest = i;
    }

    View g_;
    const bool* bound_;
    list<node_index> pending_;
};

/// Finds the regions of a resolved graph, the last ones first.
template <class View>
class region_search {
public:
    constexpr explicit region_search(View g) : g_(g), number_(g.size) {
        parts_.needed = list<bool>(g.size);
        list<node_index> outputs;
        for (std::size_t k = 0; k < g.output_count; ++k) {
            outputs.push_back(g.outputs[k]);
            parts_.needed[g.outputs[k]] = true;
        }
        find_parameters(reached(g.nodes, g.size, outputs));
        for (node_index i = static_cast<node_index>(g.size); i-- > 0;) {
            if (!parts_.needed.at[i]) continue;
            const node& n = g[i];
            if (n.is(opcode::history) || (n.is(opcode::result) && is_region(g[n.operand[0]].op))) {
                if (!parts_.needed.at[n.operand[0]]) {
                    number_.at[n.operand[0]] = static_cast<node_index>(found_.size());
                    found_.push_back({n.operand[0], bindings(g.nodes, n.operand[0]), {}, {}, {}, {}, {}});
                    parts_.needed.at[n.operand[0]] = true;
                }
                found& f = found_[number_.at[n.operand[0]]];
                (n.is(opcode::history) ? f.histories : f.results).push_back(i);
            } else if (is_region(n.op)) {
                explore(found_[number_.at[i]]);
            } else {
                for (int k = 0; k < n.arity(); ++k) parts_.needed.at[n.operand[k]] = true;
            }
        }
    }

    constexpr region_parts result() && {
        for (const found& f : found_) {
            region_part part{.at = f.at, .begin = {static_cast<node_index>(parts_.entries.size())}};
            int group = 0;
            for (const list<node_index>* nodes : {&f.binds, &f.results, &f.histories, &f.used, &f.numbers, &f.buffers}) {
                for (const node_index i : *nodes) parts_.entries.push_back(i);
                part.begin[++group] = static_cast<node_index>(parts_.entries.size());
            }
            parts_.parts.push_back(part);
        }
        return static_cast<region_parts&&>(parts_);
    }

private:
    struct found {
        node_index at = no_node;
        list<node_index> binds, results, histories, used, numbers, buffers;
    };

    /// Which nodes depend on parameters, and where the parameters stand.
    constexpr void find_parameters(const list<bool>& wanted) {
        const free_parameters free(g_.nodes, wanted);
        parts_.bound = list<bool>(g_.size);
        for (node_index i = 0; i < g_.size; ++i) {
            parts_.bound.at[i] = !free.empty(i);
            if (!g_[i].is(opcode::parameter)) continue;
            while (parameter_.size() <= g_[i].bits) parameter_.push_back(no_node);
            parameter_[g_[i].bits] = i;
        }
    }
    /// What of a region is needed: which values go round, which are captured.
    constexpr void explore(found& f) {
        const node& region = g_[f.at];
        const list<node_index>& binds = f.binds;
        body_search<View> body(g_, parts_.bound.data());
        list<bool> used(binds.size());
        for (const node_index r : f.results) {
            if (region.is(opcode::branch)) {
                for (const int arm : {1, 2}) body.add(choice_of(g_, f.at, r).operand[arm]);
            } else if (g_[r].bits != rounds_result) {
                used[g_[r].bits] = true;
                body.add(g_[binds[g_[r].bits]].operand[2]);
            }
        }
        for (const node_index h : f.histories) body.add(g_[h].operand[1]);
        if (region.is(opcode::repeat)) body.add(region.operand[0]);
        if (!region.is(opcode::repeat)) parts_.needed[region.operand[0]] = true;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t k = 0; k < binds.size(); ++k) {
                const node& bind = g_[binds[k]];
                const node_index own = bind.bits < parameter_.size() ? parameter_[bind.bits] : no_node;
                if (used[k] || own == no_node || !body.inside[own]) continue;
                used[k] = changed = true;
                if (!bind.is(opcode::bind)) body.add(bind.operand[2]);
            }
        }
        for (const bool replays : {true, false}) {
            for (std::size_t k = 0; k < binds.size(); ++k) {
                if (!used[k] || (g_[binds[k]].is(opcode::replay)) != replays) continue;
                f.used.push_back(binds[k]);
                parts_.needed[g_[binds[k]].operand[1]] = true;
            }
        }
        list<bool> captured(g_.size);
        for (const node_index i : body.captured) captured[i] = true;
        for (node_index i = body.captured.empty() ? f.at : body.lowest; i < f.at; ++i) { // in the order of the graph
            if (!captured.at[i]) continue;
            parts_.needed[i] = true;
            (g_[i].rank != 0 ? f.buffers : f.numbers).push_back(i);
        }
    }

    View g_;
    list<node_index> number_;    ///< by region: its place among those found
    list<node_index> parameter_; ///< by number: its node
    list<found> found_;
    region_parts parts_;
};

template <class View>
constexpr region_parts regions_in(View g) {
    return region_search<View>(g).result();
}

} // namespace dyad
