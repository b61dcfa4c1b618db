// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A planned loop as kernels: which of its outputs can share one, what each kernel does with its inputs and outputs, and
// whether the arrays lie so that it is a map. All of it known at compile time.
#pragma once

#include <tuple>

#include <dyad/array/program.hpp>
#include <dyad/device/parts.hpp>
#include <dyad/device/words.hpp>

namespace dyad::device {

template <class Code>
struct loop_facts {
    static constexpr std::size_t loads = Code::loads, stores = Code::stores;
    static constexpr unsigned rank = Code::rank, all_axes = (1U << rank) - 1;

    static constexpr bool accumulates(std::size_t k) { return !is(Code::table.kept[k].how, opcode::constant); }
    /// The axes of the loop that output k is reduced along.
    static constexpr unsigned reduced_by(std::size_t k) {
        unsigned mask = 0;
        for (unsigned a = 0; a != rank && accumulates(k); ++a) mask |= Code::table.kept[k].axes.of[a] == axis_map::none ? 1U << a : 0U;
        return mask;
    }
    /// Outputs reduced along the same axes share a kernel; what is stored rides in the last, as it may lie over what all of them read.
    struct group_list {
        unsigned mask[stores + 1] = {};
        std::size_t count = 0;
    };
    static constexpr group_list groups = [] {
        group_list g;
        for (std::size_t k = 0; k < stores; ++k) {
            bool known = !accumulates(k);
            for (std::size_t i = 0; i < g.count; ++i) known = known || g.mask[i] == reduced_by(k);
            if (!known) g.mask[g.count++] = reduced_by(k);
        }
        if (g.count == 0) g.count = 1;
        return g;
    }();
    static constexpr bool in_group(std::size_t k, std::size_t group) {
        return accumulates(k) ? reduced_by(k) == groups.mask[group] : group + 1 == groups.count;
    }
    static constexpr bool lasts(std::size_t j) { return Code::table.loaded[j].axes == axis_map{}; }
};

/// The same with what the plan knows. `Stored<K>` is the element type of output K.
template <class Storage, std::size_t L>
struct loop_parts {
    using program = typename Storage::program;
    using code = typename program::template loop<L>;
    using facts = loop_facts<code>;
    static constexpr graph_view graph = program::graph;
    static constexpr const auto& plan = program::planned;
    static constexpr extent_of_body extent = code::places > 1 ? extent_of_body::anywhere : extent_of_body::inside;
    using source = lowered_program<typename code::template source<extent>, program::rewriting>;

    static constexpr bool is_mask(std::size_t j) { return code::table.loaded[j].node == no_node; }
    /// Not in any memory of the device: an argument that is a number, or what follows from sizes.
    static constexpr bool is_given(std::size_t j) { return !is_mask(j) && Storage::is_given(code::table.loaded[j].node); }

    template <std::size_t J>
    static constexpr auto in_part() {
        constexpr load l = code::table.loaded[J];
        if constexpr (is_mask(J)) {
            return masking<l.place>{};
        } else if constexpr (is_given(J)) {
            return given{};
        } else {
            using element = typename Storage::template element_of<l.node>;
            if constexpr (facts::lasts(J)) return lasting<element>{};
            if constexpr (!facts::lasts(J) && l.place == 0) return walking<element>{};
            if constexpr (!facts::lasts(J) && l.place != 0) return placed<element, l.place>{};
        }
    }
    template <std::size_t K, std::size_t Group>
    static constexpr auto out_part() {
        using element = typename Storage::template element_of_store<code::table.kept[K].node>;
        if constexpr (!facts::in_group(K, Group)) {
            return left_out{};
        } else if constexpr (facts::accumulates(K)) {
            return accumulated<keeping_of(code::table.kept[K].how), element>{};
        } else {
            return stored_as<element>{};
        }
    }
    template <std::size_t... J>
    static constexpr auto inputs(std::index_sequence<J...>) {
        return parts_of(in_part<J>()...);
    }
    template <std::size_t Group, std::size_t... K>
    static constexpr auto outputs(std::index_sequence<K...>) {
        return parts_of(out_part<K, Group>()...);
    }
    static constexpr auto in_parts() { return inputs(std::make_index_sequence<code::loads>{}); }
    template <std::size_t Group>
    static constexpr auto out_parts() {
        return outputs<Group>(std::make_index_sequence<code::stores>{});
    }
    using in = decltype(in_parts());
    template <std::size_t Group>
    using out = decltype(out_parts<Group>());

    /// Whether a result lies over an array that the loop reads.
    static constexpr bool overwrites = [] {
        bool found = false;
        for (std::size_t j = 0; j != code::loads; ++j) {
            for (std::size_t k = 0; k < code::stores; ++k) {
                const node_index from = code::table.loaded[j].node, to = code::table.kept[k].node;
                found = found || (from < graph.size && to < graph.size && from != to && plan.home[from] == plan.home[to]);
            }
        }
        return found;
    }();

    /// Whether all arrays may lie side by side in the loop's own order.
    static constexpr bool can_map = [] {
        bool can = code::places == 1;
        for (std::size_t j = 0; j != code::loads; ++j) {
            if (is_given(j) || facts::lasts(j)) continue;
            const load& l = code::table.loaded[j];
            can = can && role_of(graph[l.node].op) != role::view && plan.host[l.node] == no_node;
            for (unsigned a = 0; a != code::rank; ++a) can = can && l.axes.of[a] != axis_map::none;
        }
        for (std::size_t k = 0; k < code::stores; ++k) {
            const node_index to = code::table.kept[k].node;
            can = can && (to >= graph.size || plan.host[to] == no_node);
        }
        for (std::size_t g = 0; g < facts::groups.count; ++g) can = can && (facts::groups.mask[g] == 0 || facts::groups.mask[g] == facts::all_axes);
        return can;
    }();
};

} // namespace dyad::device
