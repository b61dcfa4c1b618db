// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// From a timetable to a plan's steps: what is stored or reduced at equal times over equal spaces is one loop. A sum of all
// elements of a part of an array rides in the loop over the whole.
#pragma once

#include <dyad/pass/timetable.hpp>

namespace dyad {

class loop_collector {
public:
    /// Fills in the steps, loops and sinks of `result`, which says what is stored, shifted and used.
    constexpr loop_collector(graph_view g, const timetable& t, plan& result) : g_(g), t_(t), result_(result) {}

    constexpr void run() {
        list<sink> waiting;
        list<int> when;
        int last = 0;
        const auto want = [&](node_index node, node_index value, int time) {
            waiting.push_back({node, value});
            when.push_back(time);
        };
        for (node_index i = 0; i < g_.size; ++i) {
            const role r = t_.facts.role_of.at[i];
            if (r == role::elementwise && result_.stored.at[i] && result_.used.at[i]) want(i, i, t_.stage.at[i]);
            if (r == role::reduction && result_.used.at[i]) want(i, g_[i].operand[0], t_.stage.at[i]);
            if (last < t_.ready.at[i]) last = t_.ready.at[i];
        }
        for (std::size_t k = 0; k < g_.output_count; ++k) {
            const node_index i = g_.outputs[k];
            if (result_.output_node.at[k] == no_node && g_[i].rank > 0) // numbers are read where they lie
                want(static_cast<node_index>(g_.size + k), i, t_.facts.role_of.at[i] == role::elementwise ? t_.stage.at[i] : t_.ready.at[i]);
        }
        list<int> view_time(g_.size, -1), call_time(g_.size, -1);
        for (node_index i = 0; i < g_.size; ++i) {
            if (t_.facts.role_of.at[i] == role::view) view_time.at[i] = t_.ready.at[i];
            if (t_.facts.role_of.at[i] == role::call && result_.used.at[i]) call_time.at[i] = t_.stage.at[i];
        }
        const by_time views(last, view_time), calls(last, call_time), sinks(last, when);
        for (int time = 0; time <= last; ++time) {
            for (std::size_t i = views.first(time); i != views.end; i = views.next.at[i])
                result_.steps.push_back({plan_step::view, static_cast<node_index>(i)});
            loops_at(time, true, waiting, sinks);
            loops_at(time, false, waiting, sinks);
            for (std::size_t i = calls.first(time); i != calls.end; i = calls.next.at[i])
                result_.steps.push_back({plan_step::call, static_cast<node_index>(i)});
        }
    }

private:
    /// The loops of one time: numbers first, since the other loops may read them.
    constexpr void loops_at(int time, bool numbers, const list<sink>& waiting, const by_time& sinks) {
        list<std::size_t> begun; // their spaces
        for (std::size_t s = sinks.first(time); s != sinks.end; s = sinks.next.at[s]) {
            const std::size_t space = t_.space.at[waiting.at[s].value];
            if ((space == timetable::one_element) != numbers) continue;
            bool known = false;
            for (const std::size_t other : begun) known = known || other == space;
            if (known) continue;
            if (rides(waiting.at[s], time, waiting, sinks) != no_node) continue;
            loop_plan loop{time, t_.spaces.at[space], result_.sinks.size(), 0};
            for (std::size_t r = sinks.first(time); r != sinks.end; r = sinks.next.at[r]) {
                sink k = waiting.at[r];
                if (t_.space.at[k.value] != space) {
                    k.through = rides(k, time, waiting, sinks);
                    if (k.through == no_node || t_.space.at[k.through] != space) continue;
                }
                result_.sinks.push_back(k);
                ++loop.count;
            }
            result_.steps.push_back({plan_step::loop, static_cast<node_index>(result_.loops.size())});
            result_.loops.push_back(loop);
            begun.push_back(space);
        }
    }

    /// A sum of all elements, of an array that is a part of another loop's, rides there: through which shift. Of several the
    /// one that shifts most of what the sum is made of: that is there already.
    [[nodiscard]] constexpr node_index rides(const sink& k, int time, const list<sink>& waiting, const by_time& sinks) const {
        if (!t_.any_shift || !is_total(k) || has_loop(t_.space.at[k.value], time, waiting, sinks)) return no_node;
        node_index best = no_node;
        std::size_t shared = 0;
        const list<bool> made_of = made_in_loops(k.value);
        for (node_index u = 0; u < g_.size; ++u) {
            const bool here = result_.shifted.at[u] && t_.stage.at[u] == time && reaches(u, t_.space.at[k.value]);
            if (!here || !has_loop(t_.space.at[u], time, waiting, sinks)) continue;
            const list<bool> there = made_in_loops(u);
            std::size_t both = 0;
            for (node_index i = 0; i < u; ++i) both += made_of.at[i] && there.at[i] ? 1 : 0;
            if (best == no_node || both > shared) {
                best = u;
                shared = both;
            }
        }
        return best;
    }
    /// What loops compute for a node, itself included.
    [[nodiscard]] constexpr list<bool> made_in_loops(node_index i) const {
        list<bool> result(g_.size);
        result.at[i] = true;
        for (node_index j = i + 1; j-- > 0;) {
            result.at[j] = result.at[j] && t_.facts.role_of.at[j] == role::elementwise;
            for (int k = 0; k < t_.facts.reads.at[j] && result.at[j]; ++k) result.at[g_[j].operand[k]] = true;
        }
        return result;
    }
    [[nodiscard]] constexpr bool is_total(const sink& k) const {
        return k.node < g_.size && g_[k.node].rank == 0 && t_.facts.role_of.at[k.node] == role::reduction;
    }
    /// Whether a loop over the space is there anyway.
    [[nodiscard]] constexpr bool has_loop(std::size_t space, int time, const list<sink>& waiting, const by_time& sinks) const {
        for (std::size_t s = sinks.first(time); s != sinks.end; s = sinks.next.at[s]) {
            if (!is_total(waiting.at[s]) && t_.space.at[waiting.at[s].value] == space) return true;
        }
        return false;
    }
    /// Whether u puts what has that space among zeros, alone or together with the shifts that it shifts. (An axis of size 1,
    /// which loops over the part have not, has no place among those of u.)
    [[nodiscard]] constexpr bool reaches(node_index u, std::size_t part) const {
        while (result_.shifted.at[u]) {
            const node_index x = g_[u].operand[0];
            if (t_.spaces.at[t_.space.at[x]].rank != t_.spaces.at[t_.space.at[u]].rank) return false;
            if (t_.space.at[x] == part) return true;
            u = x;
        }
        return false;
    }

    graph_view g_;
    const timetable& t_;
    plan& result_;
};

} // namespace dyad
