// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Cuts a graph of arrays into the fewest loops. What is computed element by element over equal sizes at equal times
// is one loop; reductions ride in the loop that feeds them; library calls and what needs a finished reduction come
// later. Values are stored only where something must read them: calls, results, and later loops to which
// computing them again would cost more.
#pragma once

#include <dyad/pass/lifetimes.hpp>

namespace dyad {

/// Numbers chained by their times, in ascending order; those of negative time are left out.
struct by_time {
    static constexpr std::size_t end = ~std::size_t{0};
    list<std::size_t> head, next;

    constexpr by_time(int last, const list<int>& time)
        : head(static_cast<std::size_t>(last) + 1, end), next(time.size(), end) {
        for (std::size_t i = time.size(); i-- > 0;) {
            if (time.at[i] < 0) continue;
            std::size_t& first = head.at[static_cast<std::size_t>(time.at[i])];
            next.at[i] = first;
            first = i;
        }
    }
    [[nodiscard]] constexpr std::size_t first(int time) const { return head.at[static_cast<std::size_t>(time)]; }
};

class scheduler {
public:
    constexpr scheduler(graph_view g, const dimensions& d)
        : g_(g), d_(d), facts_(g), spaces_{iteration_space{}}, space_(g.size), stage_(g.size), ready_(g.size), heavy_(g.size), around_(g.size), seen_until_(g.size) {
        for (node_index i = 0; i < g.size; ++i) space_.at[i] = number_of_space(i);
        result_.stored = list<bool>(g.size);
        result_.shifted = list<bool>(g.size);
        result_.used = list<bool>(g.size);
        result_.host = list<node_index>(g.size, no_node);
    }

    constexpr plan run() {
        find_used();
        for (node_index i = 0; i < g_.size; ++i) visit(i);
        claim_outputs();
        find_hosts();
        for (node_index i = static_cast<node_index>(g_.size); i-- > 0;) {
            const role r = facts_.role_of.at[i];
            if (!result_.used.at[i] || result_.shifted.at[i]) continue;
            if (r == role::reduction || (r == role::elementwise && result_.stored.at[i])) keep_expensive(i, stage_.at[i]);
        }
        delay();
        collect();
        result_.time = stage_;
        result_.home = home_finder(g_, d_, facts_, result_).run();
        return static_cast<plan&&>(result_);
    }

private:
    /// The number of the space that a loop over node i has. (Numbers are compared often.)
    constexpr std::size_t number_of_space(node_index i) {
        iteration_space s;
        for (unsigned k = g_[i].rank; k-- > 0;) {
            if (const dimension size = d_.at(i, k); size != 0) s.size[s.rank++] = size;
        }
        for (std::size_t number = 0; number < spaces_.size(); ++number) {
            const iteration_space& known = spaces_.at[number];
            bool same = known.rank == s.rank;
            for (unsigned k = 0; k < s.rank && same; ++k) same = known.size[k] == s.size[k];
            if (same) return number;
        }
        spaces_.push_back(s);
        return spaces_.size() - 1;
    }
    /// The space of what has one element.
    static constexpr std::size_t one_element = 0;

    /// Whether loops shift the operand of i on their way. What is costly is computed once, where it is to lie.
    [[nodiscard]] constexpr bool is_shift(node_index i) const {
        const node& n = g_[i];
        if (!can_shift(n) || d_.at(i, axis_of(n.bits)) == 0) return false;
        const node_index x = n.operand[0];
        for (unsigned k = 0; k < g_[x].rank; ++k) {
            const bool fits = k == axis_of(n.bits) || d_.at(x, k) == 0 || d_.at(x, k) == d_.at(i, k);
            if (!fits) return false;
        }
        bool output = false;
        for (std::size_t k = 0; k < g_.output_count; ++k) output = output || g_.outputs[k] == i;
        const bool computed = facts_.role_of.at[x] == role::elementwise && !result_.stored.at[x] && space_.at[x] != one_element;
        return !(output && computed && is_costly(x));
    }
    [[nodiscard]] constexpr bool is_costly(node_index x) const { return heavy_.at[x] || g_[x].op == opcode::div; }

    /// When the value of x can be read by a loop that runs over `space`; stores it where that is the way.
    constexpr int available(node_index x, std::size_t space) {
        if (facts_.role_of.at[x] != role::elementwise) return ready_.at[x];
        const bool alone = space_.at[x] == one_element && space != one_element, elsewhere = space_.at[x] != space;
        if (alone || (is_costly(x) && elsewhere)) store(x);
        return result_.stored.at[x] && !alone && elsewhere ? stage_.at[x] + 1 : stage_.at[x];
    }
    /// When memory of x is complete, for what cannot ride in a loop.
    constexpr int complete(node_index x) {
        if (facts_.role_of.at[x] != role::elementwise) return ready_.at[x];
        store(x);
        return stage_.at[x];
    }
    constexpr void store(node_index x) {
        result_.stored.at[x] = true;
        heavy_.at[x] = false;
        around_.at[x] = false;
    }
    static constexpr int later(int a, int b) { return a < b ? b : a; }

    constexpr void find_used() {
        for (std::size_t k = 0; k < g_.output_count; ++k) result_.used.at[g_.outputs[k]] = true;
        for (node_index i = static_cast<node_index>(g_.size); i-- > 0;) {
            for (int k = 0; k < facts_.reads.at[i] && result_.used.at[i]; ++k) result_.used.at[g_[i].operand[k]] = true;
        }
    }
    constexpr void visit(node_index i) {
        const node& n = g_[i];
        if (!result_.used.at[i]) { // only its shape counts, and that of its views
            const role r = facts_.role_of.at[i];
            result_.stored.at[i] = r == role::elementwise || r == role::reduction || r == role::call;
            return;
        }
        int& stage = stage_.at[i];
        if (is_shift(i)) {
            result_.shifted.at[i] = any_shift_ = true;
            facts_.role_of.at[i] = role::elementwise;
        }
        switch (facts_.role_of.at[i]) {
        case role::constant:
        case role::leaf: break;
        case role::view: see(i); break;
        case role::elementwise: {
            const bool moves = n.op == opcode::stop_gradient || is_array_operation(n.op);
            bool heavy = !moves && !is_inline(n.op), around = result_.shifted.at[i];
            for (int k = 0; k < facts_.reads.at[i]; ++k) {
                const node_index x = n.operand[k];
                // Sums of shifts of sums of shifts would need ever more elements around each.
                if (result_.shifted.at[i] && around_.at[x] && !result_.shifted.at[x]) store(x);
                stage = later(stage, available(x, space_.at[i]));
                heavy = heavy || heavy_.at[x];
                around = around || around_.at[x];
            }
            heavy_.at[i] = heavy;
            around_.at[i] = around;
            ready_.at[i] = stage + 1;
            break;
        }
        case role::reduction:
            stage = available(n.operand[0], space_.at[n.operand[0]]);
            ready_.at[i] = stage + 1;
            result_.stored.at[i] = true;
            break;
        case role::call:
        case role::link:
            for (int k = 0; k < facts_.reads.at[i]; ++k) {
                if (facts_.role_of.at[n.operand[k]] != role::constant) stage = later(stage, complete(n.operand[k]));
            }
            ready_.at[i] = stage;
            if (facts_.role_of.at[i] == role::link) { // what it names may be computed in a loop of its own time
                const node_index x = n.operand[1];
                if (facts_.role_of.at[x] == role::elementwise && space_.at[x] != one_element) ready_.at[i] = stage + 1;
                break;
            }
            ready_.at[i] = stage + 1;
            result_.stored.at[i] = true;
            break;
        }
    }

    /// When view i can be read. (It reads memory, that of one element too.)
    constexpr void see(node_index i) {
        const node_index x = g_[i].operand[0];
        stage_.at[i] = complete(x);
        ready_.at[i] = stage_.at[i] + (facts_.role_of.at[x] == role::elementwise ? 1 : 0);
    }

    /// The memory of an output is that of its node, if that is computed, and no other output's.
    constexpr void claim_outputs() {
        for (std::size_t k = 0; k < g_.output_count; ++k) {
            node_index i = g_.outputs[k];
            while (g_[i].op == opcode::expand || g_[i].op == opcode::squeeze) i = g_[i].operand[0]; // the same elements
            const role r = facts_.role_of.at[i];
            bool own = r == role::elementwise || r == role::reduction || r == role::call;
            own = own && (g_[i].rank > 0) == (g_[g_.outputs[k]].rank > 0);
            for (std::size_t j = 0; j < k; ++j) own = own && result_.output_node.at[j] != i;
            if (own) store(i);
            result_.output_node.push_back(own ? i : no_node);
        }
    }
    /// What is put into zeros is computed where it is to lie.
    constexpr void find_hosts() {
        for (node_index i = 0; i < g_.size; ++i) {
            const node_index x = g_[i].operand[0];
            if (g_[i].op != opcode::unslice || !result_.used.at[i] || result_.shifted.at[i] || decode_slice(g_[i].bits).step != 1) continue;
            bool free = facts_.role_of.at[x] == role::elementwise && space_.at[x] != one_element && result_.host.at[x] == no_node;
            for (unsigned k = 0; k < g_[i].rank; ++k) {
                const bool cut = k == axis_of(g_[i].bits);
                free = free && k < g_[x].rank && (cut ? d_.at(x, k) != 0 : d_.at(x, k) == d_.at(i, k));
            }
            for (const node_index o : result_.output_node) free = free && o != x;
            if (free) result_.host.at[x] = i;
        }
    }

    /// Stores what the computation of i at a later time would compute again at a price. (No recursion: chains are long.)
    constexpr void keep_expensive(node_index i, int time) {
        list<node_index> open;
        open.push_back(i);
        while (open.size() > 0) {
            const node_index at = open.back();
            open.pop_back();
            for (int k = 0; k < facts_.reads.at[at]; ++k) {
                const node_index x = g_[at].operand[k];
                if (facts_.role_of.at[x] != role::elementwise || result_.stored.at[x] || !heavy_.at[x]) continue;
                if (stage_.at[x] < time) {
                    store(x);
                } else if (seen_until_.at[x] <= time) { // (else each path through a graph would be gone)
                    seen_until_.at[x] = time + 1;
                    open.push_back(x);
                }
            }
        }
    }

    /// Numbers are computed when they are wanted, not before; so there is time for a reduction to ride in a later loop
    /// over the same elements, if there is one. Views wait for what they show.
    constexpr void delay() {
        int end = 0;
        for (node_index i = 0; i < g_.size; ++i) end = later(end, ready_.at[i]);
        list<int> wanted(g_.size, end);
        for (node_index i = static_cast<node_index>(g_.size); i-- > 0;) {
            if (!result_.used.at[i]) continue;
            const role r = facts_.role_of.at[i];
            int when = stage_.at[i];
            if (r == role::elementwise && space_.at[i] == one_element) when = later(when, wanted.at[i]);
            if (r == role::reduction && !heavy_.at[g_[i].operand[0]]) when = time_to_ride(i, wanted.at[i]);
            if (when != stage_.at[i]) {
                stage_.at[i] = when;
                ready_.at[i] = when + 1;
            }
            const bool passes_on = r == role::view || (r == role::elementwise && !result_.stored.at[i]);
            for (int k = 0; k < facts_.reads.at[i]; ++k) {
                const node_index x = g_[i].operand[k];
                const bool shown = r == role::view && facts_.role_of.at[x] == role::elementwise; // before the view's time
                wanted.at[x] = earlier(wanted.at[x], passes_on ? wanted.at[i] - (shown ? 1 : 0) : when);
            }
        }
        for (node_index i = 0; i < g_.size; ++i) {
            if (facts_.role_of.at[i] == role::view && result_.used.at[i]) see(i);
        }
    }
    /// The time of the first loop, from that of reduction i on and before `wanted`, that is there anyway.
    [[nodiscard]] constexpr int time_to_ride(node_index i, int wanted) const {
        const std::size_t space = space_.at[g_[i].operand[0]];
        int best = wanted;
        for (node_index j = 0; j < g_.size; ++j) {
            const bool loop = facts_.role_of.at[j] == role::elementwise && result_.stored.at[j] && result_.used.at[j] && stage_.at[j] >= stage_.at[i];
            if (loop && stage_.at[j] < best && space_.at[j] == space) best = stage_.at[j];
        }
        return best < wanted ? best : stage_.at[i];
    }
    static constexpr int earlier(int a, int b) { return a < b ? a : b; }

    constexpr void collect() {
        list<sink> waiting;
        list<int> when;
        int last = 0;
        const auto want = [&](node_index node, node_index value, int time) {
            waiting.push_back({node, value});
            when.push_back(time);
        };
        for (node_index i = 0; i < g_.size; ++i) {
            const role r = facts_.role_of.at[i];
            if (r == role::elementwise && result_.stored.at[i] && result_.used.at[i]) want(i, i, stage_.at[i]);
            if (r == role::reduction && result_.used.at[i]) want(i, g_[i].operand[0], stage_.at[i]);
            last = later(last, ready_.at[i]);
        }
        for (std::size_t k = 0; k < g_.output_count; ++k) {
            const node_index i = g_.outputs[k];
            if (result_.output_node.at[k] == no_node && g_[i].rank > 0) // numbers are read where they lie
                want(static_cast<node_index>(g_.size + k), i, facts_.role_of.at[i] == role::elementwise ? stage_.at[i] : ready_.at[i]);
        }
        list<int> view_time(g_.size, -1), call_time(g_.size, -1);
        for (node_index i = 0; i < g_.size; ++i) {
            if (facts_.role_of.at[i] == role::view) view_time.at[i] = ready_.at[i];
            if (facts_.role_of.at[i] == role::call && result_.used.at[i]) call_time.at[i] = stage_.at[i];
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
    /// The loops of one time: numbers first, since the other loops may read them.
    constexpr void loops_at(int time, bool numbers, const list<sink>& waiting, const by_time& sinks) {
        list<std::size_t> begun; // their spaces
        for (std::size_t s = sinks.first(time); s != sinks.end; s = sinks.next.at[s]) {
            const std::size_t space = space_.at[waiting.at[s].value];
            if ((space == one_element) != numbers) continue;
            bool known = false;
            for (const std::size_t other : begun) known = known || other == space;
            if (known) continue;
            if (rides(waiting.at[s], time, waiting, sinks) != no_node) continue;
            loop_plan loop{time, spaces_.at[space], result_.sinks.size(), 0};
            for (std::size_t r = sinks.first(time); r != sinks.end; r = sinks.next.at[r]) {
                sink k = waiting.at[r];
                if (space_.at[k.value] != space) {
                    k.through = rides(k, time, waiting, sinks);
                    if (k.through == no_node || space_.at[k.through] != space) continue;
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
        if (!any_shift_ || !is_total(k) || has_loop(space_.at[k.value], time, waiting, sinks)) return no_node;
        node_index best = no_node;
        std::size_t shared = 0;
        const list<bool> made_of = made_in_loops(k.value);
        for (node_index u = 0; u < g_.size; ++u) {
            const bool here = result_.shifted.at[u] && stage_.at[u] == time && reaches(u, space_.at[k.value]);
            if (!here || !has_loop(space_.at[u], time, waiting, sinks)) continue;
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
            result.at[j] = result.at[j] && facts_.role_of.at[j] == role::elementwise;
            for (int k = 0; k < facts_.reads.at[j] && result.at[j]; ++k) result.at[g_[j].operand[k]] = true;
        }
        return result;
    }
    [[nodiscard]] constexpr bool is_total(const sink& k) const {
        return k.node < g_.size && g_[k.node].rank == 0 && facts_.role_of.at[k.node] == role::reduction;
    }
    /// Whether a loop over the space is there anyway.
    [[nodiscard]] constexpr bool has_loop(std::size_t space, int time, const list<sink>& waiting, const by_time& sinks) const {
        for (std::size_t s = sinks.first(time); s != sinks.end; s = sinks.next.at[s]) {
            if (!is_total(waiting.at[s]) && space_.at[waiting.at[s].value] == space) return true;
        }
        return false;
    }
    /// Whether u puts what has that space among zeros, alone or together with the shifts that it shifts. (An axis of size 1,
    /// which loops over the part have not, has no place among those of u.)
    [[nodiscard]] constexpr bool reaches(node_index u, std::size_t part) const {
        while (result_.shifted.at[u]) {
            const node_index x = g_[u].operand[0];
            if (spaces_.at[space_.at[x]].rank != spaces_.at[space_.at[u]].rank) return false;
            if (space_.at[x] == part) return true;
            u = x;
        }
        return false;
    }

    graph_view g_;
    const dimensions& d_;
    node_facts facts_; ///< a shift's role is that of what loops compute
    list<iteration_space> spaces_;
    list<std::size_t> space_; ///< by node: its space's number
    list<int> stage_, ready_;
    list<bool> heavy_, around_;
    list<int> seen_until_; ///< by node: 1 more than the latest time for which keep_expensive went through it
    bool any_shift_ = false;
    plan result_;
};

/// The schedule pass.
constexpr plan schedule(graph_view g, const dimensions& d) {
    return scheduler(g, d).run();
}

} // namespace dyad
