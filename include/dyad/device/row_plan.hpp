// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Which steps of a plan one row kernel can take: loops over the same elements of which one reads what another sums along the last axis,
// and the loops over the rows between them. All of it known at compile time.
#pragma once

#include <algorithm>

#include <dyad/base/each_index.hpp>
#include <dyad/device/loops.hpp>

namespace dyad::device {

/// What an input or output of a stage is: of arrays, of the numbers of the row, of numbers; or of totals.
enum class row_place : std::uint8_t { array, row, number, total };
struct row_entry {
    row_place place = row_place::number;
    std::size_t number = 0;
};
/// An array or a number of the row: node `node` in the loop's `axes`. Read from memory where `computed` is false; stage and input, or
/// stage and output, that name it first. `stored`: somebody else reads it.
struct row_operand {
    node_index node = no_node;
    axis_map axes;
    bool computed = false, stored = false;
    std::size_t stage = 0, index = 0;
};

/// The loops of a plan of `Loops` loops with at most `Loads` inputs and `Stores` outputs, as this asks for them.
template <std::size_t Loads, std::size_t Stores>
struct loop_outline {
    std::size_t loads = 0, stores = 0, operations = 0;
    unsigned rank = 0;
    bool plain = false; ///< no shifts, no loops within
    load loaded[Loads + 1] = {};
    store kept[Stores + 1] = {};
};

/// Steps `first` to `last` as stages, and what they share.
template <std::size_t Loops, std::size_t Loads, std::size_t Stores>
struct row_group {
    std::size_t first = 0, last = 0; ///< steps
    std::size_t stages = 0, full = 0, operations = 0;
    std::size_t loop[Loops + 1] = {}; ///< by stage
    row_entry in[Loops + 1][Loads + 1] = {}, out[Loops + 1][Stores + 1] = {};
    std::size_t arrays = 0, rows = 0, numbers = 0, totals = 0;
    row_operand array[Loops * (Loads + Stores) + 1] = {}, row[Loops * (Loads + Stores) + 1] = {}, number[Loops * Loads + 1] = {}, total[Loops * Stores + 1] = {};
};

/// The row groups of a plan; `Storage` is an arrangement.
template <class Storage>
class row_plan {
    using program = typename Storage::program;
    static constexpr const auto& plan = program::planned;
    static constexpr graph_view graph = program::graph;
    /// More operations, and arrays of which a thread keeps some elements, than instruction caches and registers are for.
    static constexpr std::size_t most_operations = 150, most_arrays = 12;

    struct counts {
        std::size_t loads = 0, stores = 0;
    };
    static constexpr counts most = [] {
        counts c;
        for_indices<plan.loop_count>([&]<std::size_t... L>(std::index_sequence<L...>) {
            ((c.loads = std::max(c.loads, program::template loop<L>::loads), c.stores = std::max(c.stores, program::template loop<L>::stores)), ...);
        });
        return c;
    }();
    using outline = loop_outline<most.loads, most.stores>;
    struct outline_list {
        outline of[plan.loop_count + 1];
    };
    template <std::size_t L>
    static constexpr outline outline_of() {
        using code = typename program::template loop<L>;
        outline o{code::loads, code::stores, code::table.body.view().size, code::rank, code::places == 1, {}, {}};
        for (std::size_t j = 0; j != code::loads; ++j) o.loaded[j] = code::table.loaded[j];
        for (std::size_t k = 0; k < code::stores; ++k) o.kept[k] = code::table.kept[k];
        for (node_index i = 0; i < code::table.body.view().size; ++i) o.plain = o.plain && !code::table.body.view()[i].is(opcode::call);
        return o;
    }
    static constexpr outline_list outlines = [] {
        outline_list all{};
        for_indices<plan.loop_count>([&]<std::size_t... L>(std::index_sequence<L...>) { ((all.of[L] = row_plan::outline_of<L>()), ...); });
        return all;
    }();

public:
    using group = row_group<plan.loop_count, most.loads, most.stores>;
    struct group_list {
        std::size_t count = 0;
        group of[plan.loop_count / 2 + 1] = {};
    };

private:
    static constexpr node_index node_behind(node_index i) {
        while (role_of(graph[i].op) == role::view) i = graph[i].operand[0];
        return i;
    }
    static constexpr bool is_reduced(const store& s) { return !is(s.how, opcode::constant); }
    /// Of an output that is reduced: along the last axis of `rank`, or along all.
    static constexpr bool is_along_last(const store& s, unsigned rank) {
        bool last = s.axes.of[rank - 1] == axis_map::none;
        for (unsigned a = 0; a + 1 < rank; ++a) last = last && s.axes.of[a] != axis_map::none;
        return last;
    }
    static constexpr bool is_along_all(const store& s, unsigned rank) {
        bool all = true;
        for (unsigned a = 0; a < rank; ++a) all = all && s.axes.of[a] == axis_map::none;
        return all;
    }
    static constexpr std::size_t find(const row_operand* list, std::size_t count, node_index node, const axis_map& axes) {
        std::size_t k = 0;
        while (k < count && !(list[k].node == node && list[k].axes == axes)) ++k;
        return k;
    }
    static constexpr bool computes(const row_operand* list, std::size_t count, node_index node) {
        for (std::size_t k = 0; k < count; ++k) {
            if (list[k].computed && list[k].node == node) return true;
        }
        return false;
    }

    static constexpr bool has_space(const outline& o, std::size_t l, const iteration_space& space) {
        bool same = o.rank == space.rank || o.rank + 1 == space.rank;
        for (unsigned a = 0; a < o.rank && same; ++a) same = plan.loops[l].space.size[a] == space.size[a];
        return same;
    }
    /// Whether loop l can be the next stage; then it is.
    static constexpr bool join(group& g, std::size_t l, const iteration_space& space) {
        const outline& o = outlines.of[l];
        if (!o.plain || !has_space(o, l, space)) return false;
        group with = g;
        const bool full = o.rank == space.rank;
        const std::size_t s = with.stages++;
        with.loop[s] = l;
        with.full += full ? 1 : 0;
        with.operations += o.operations;
        for (std::size_t j = 0; j < o.loads; ++j) {
            if (!add_input(with, s, j, o.loaded[j], full ? o.loaded[j].axes.of[o.rank - 1] != axis_map::none : false)) return false;
        }
        for (std::size_t k = 0; k < o.stores; ++k) {
            if (!add_output(with, s, k, o.kept[k], full, o.rank)) return false;
        }
        if (with.operations > most_operations || with.arrays > most_arrays) return false;
        g = with;
        return true;
    }
    static constexpr bool add_input(group& g, std::size_t s, std::size_t j, const load& l, bool walks) {
        const node_index behind = l.node == no_node ? no_node : node_behind(l.node);
        if (l.node == no_node || computes(g.total, g.totals, behind)) return false;
        if (Storage::is_given(l.node) || l.axes == axis_map{}) {
            if (computes(g.row, g.rows, behind)) return false; // (a single row)
            g.in[s][j] = {row_place::number, g.numbers};
            g.number[g.numbers++] = {l.node, l.axes, false, false, s, j};
            return true;
        }
        row_operand* const list = walks ? g.array : g.row;
        std::size_t& count = walks ? g.arrays : g.rows;
        const std::size_t at = find(list, count, l.node, l.axes);
        if (at == count) { // what a stage has computed is read as it was computed, or not at all
            if (computes(g.array, g.arrays, behind) || computes(g.row, g.rows, behind)) return false;
            list[count++] = {l.node, l.axes, false, false, s, j};
        }
        g.in[s][j] = {walks ? row_place::array : row_place::row, at};
        return true;
    }
    static constexpr bool add_output(group& g, std::size_t s, std::size_t k, const store& kept, bool full, unsigned rank) {
        if (kept.node < graph.size && plan.host[kept.node] != no_node) return false;
        if (is_reduced(kept) && is_along_all(kept, rank)) {
            g.out[s][k] = {row_place::total, g.totals};
            g.total[g.totals++] = {kept.node, kept.axes, true, true, s, k};
        } else if (full && !is_reduced(kept)) {
            g.out[s][k] = {row_place::array, g.arrays};
            g.array[g.arrays++] = {kept.node, kept.axes, true, true, s, k};
        } else if (!full ? !is_reduced(kept) : is_along_last(kept, rank)) {
            g.out[s][k] = {row_place::row, g.rows};
            g.row[g.rows++] = {kept.node, kept.axes, true, true, s, k};
        } else {
            return false;
        }
        return true;
    }
    /// Whether anybody but the group's stages reads what node i is.
    static constexpr bool is_read_outside(const group& g, node_index i) {
        if (i >= graph.size) return true; // a copy for an output
        for (std::size_t k = 0; k < graph.output_count; ++k) {
            if (node_behind(graph.outputs[k]) == i || plan.output_node[k] == i) return true;
        }
        for (std::size_t t = 0; t < plan.step_count; ++t) {
            const plan_step step = plan.steps[t];
            if (step.kind == plan_step::call) {
                if (graph[step.index].is(opcode::call)) return true; // (what a loop or branch is handed is named by links)
                for (int k = 0; k < operands_read(graph[step.index]); ++k) {
                    if (node_behind(graph[step.index].operand[k]) == i) return true;
                }
            } else if (step.kind == plan_step::loop && (t < g.first || t >= g.last)) {
                const outline& o = outlines.of[step.index];
                for (std::size_t j = 0; j < o.loads; ++j) {
                    if (o.loaded[j].node != no_node && node_behind(o.loaded[j].node) == i) return true;
                }
            }
        }
        return false;
    }
    /// Says what of the group is stored, and whether that overwrites what a later row still reads: memory serves a new array when the loop
    /// that reads the old one last is through, which the rows of a kernel are one by one, each with all of its loops.
    static constexpr bool is_sound(group& g) {
        for (std::size_t k = 0; k < g.arrays; ++k) g.array[k].stored = g.array[k].computed && is_read_outside(g, g.array[k].node);
        for (std::size_t k = 0; k < g.rows; ++k) g.row[k].stored = g.row[k].computed && is_read_outside(g, g.row[k].node);
        const auto overwrites = [](const row_operand& to, const row_operand& from) {
            if (!to.stored || from.computed || to.node >= graph.size) return false;
            const node_index behind = node_behind(from.node);
            return to.node != behind && plan.home[to.node] == plan.home[behind] && (behind != from.node || !(from.axes == to.axes));
        };
        const auto any_overwrites = [&](const row_operand* to, std::size_t stored, const row_operand* from, std::size_t read) {
            bool any = false;
            for (std::size_t k = 0; k < stored; ++k) {
                for (std::size_t j = 0; j < read; ++j) any = any || overwrites(to[k], from[j]);
            }
            return any;
        };
        return !any_overwrites(g.array, g.arrays, g.array, g.arrays) && !any_overwrites(g.array, g.arrays, g.row, g.rows) &&
               !any_overwrites(g.row, g.rows, g.array, g.arrays) && !any_overwrites(g.row, g.rows, g.row, g.rows);
    }
    /// The group that begins with step t, or an empty one.
    static constexpr group group_from(std::size_t t) {
        group g{};
        g.first = t;
        if (plan.steps[t].kind != plan_step::loop) return group{};
        const std::size_t l = plan.steps[t].index;
        const outline& o = outlines.of[l];
        bool sums = false;
        for (std::size_t k = 0; k < o.stores; ++k) sums = sums || (o.rank > 1 && is_reduced(o.kept[k]) && is_along_last(o.kept[k], o.rank));
        if (!sums) return group{};
        std::size_t full = 0;
        group whole{};
        for (; t < plan.step_count; ++t) {
            const plan_step step = plan.steps[t];
            if (step.kind == plan_step::view) continue;
            if (step.kind != plan_step::loop) break;
            const outline& next = outlines.of[step.index];
            if (next.rank == 0 && Storage::is_given(next.kept[0].node)) continue; // the host's
            if (!join(g, step.index, plan.loops[l].space)) break;
            g.last = t + 1;
            if (group ended = g; g.full > full && is_sound(ended)) whole = ended; // (a group ends with a loop over the elements)
            full = g.full;
        }
        return whole.full < 2 ? group{} : whole;
    }

public:
    static constexpr group_list groups = [] {
        group_list all;
        for (std::size_t t = 0; t < plan.step_count;) {
            const group g = group_from(t);
            t = g.stages > 0 ? g.last : t + 1;
            if (g.stages > 0) all.of[all.count++] = g;
        }
        return all;
    }();
    /// The number of the group that begins with step t, or how many there are.
    static constexpr std::size_t group_at(std::size_t t) {
        std::size_t k = 0;
        while (k != groups.count && groups.of[k].first != t) ++k;
        return k;
    }
};

} // namespace dyad::device
