// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Cuts a graph of arrays into the fewest loops. What is computed element by element over equal sizes at equal times
// is one loop; reductions ride in the loop that feeds them; library calls and what needs a finished reduction come
// later. Values are stored only where something must read them: calls, results, and later loops to which
// computing them again would cost more, or give other bits where those matter.
#pragma once

#include <dyad/pass/collect_loops.hpp>
#include <dyad/pass/compared.hpp>
#include <dyad/pass/shifted_reads.hpp>

namespace dyad {

class scheduler {
public:
    constexpr scheduler(graph_view g, known_sizes d)
        : g_(g), d_(d), t_(g, d), compared_(compared_with_extrema(g, t_.facts)), heavy_(g.size), around_(g.size), behind_(g.size),
          seen_until_(g.size) {
        result_.stored = list<bool>(g.size);
        result_.shifted = list<bool>(g.size);
        result_.used = list<bool>(g.size);
        result_.host = list<node_index>(g.size, no_node);
    }

    constexpr plan run() {
        find_used();
        shifts_ = shifts_of_nodes(g_, t_.facts, result_.used);
        for (node_index i = 0; i < g_.size; ++i) visit(i);
        claim_outputs();
        find_hosts();
        for (node_index i = static_cast<node_index>(g_.size); i-- > 0;) {
            const role r = t_.facts.role_of.at[i];
            if (!result_.used.at[i] || result_.shifted.at[i]) continue;
            if (r == role::reduction || (r == role::elementwise && result_.stored.at[i])) keep_expensive(i, t_.stage.at[i]);
        }
        delay();
        loop_collector(g_, t_, result_).run();
        result_.time = t_.stage;
        return static_cast<plan&&>(result_);
    }

private:
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
        const bool computed = t_.facts.role_of.at[x] == role::elementwise && !result_.stored.at[x] && t_.space.at[x] != timetable::one_element;
        return !(output && computed && is_costly(x));
    }
    [[nodiscard]] constexpr bool is_costly(node_index x) const { return heavy_.at[x] || g_[x].is(opcode::div); }

    /// When the value of x can be read by a loop that runs over `space`; stores it where that is the way.
    constexpr int available(node_index x, std::size_t space) {
        if (t_.facts.role_of.at[x] != role::elementwise) return t_.ready.at[x];
        const bool alone = t_.space.at[x] == timetable::one_element && space != timetable::one_element, elsewhere = t_.space.at[x] != space;
        if (alone || (is_costly(x) && elsewhere)) store(x);
        if (!elsewhere || alone) return t_.stage.at[x];
        return result_.stored.at[x] ? t_.stage.at[x] + 1 : later(t_.stage.at[x], behind_.at[x]);
    }
    /// When memory of x is complete, for what cannot ride in a loop.
    constexpr int complete(node_index x) {
        if (t_.facts.role_of.at[x] != role::elementwise) return t_.ready.at[x];
        store(x);
        return t_.stage.at[x];
    }
    constexpr void store(node_index x) {
        result_.stored.at[x] = true;
        heavy_.at[x] = false;
        around_.at[x] = false;
        behind_.at[x] = 0;
    }
    /// Stores what later loops read at many shifts, if to compute it at each costs more than memory.
    constexpr void store_for_shifts(node_index x) {
        const int again = shifts_.at[x] - 1;
        if (again < 1 || t_.space.at[x] == timetable::one_element) return;
        if (!is_costly(x) && !takes_more_than(most_repeated / again, x, g_, t_, result_.stored)) return;
        store(x);
        behind_.at[x] = t_.stage.at[x] + 1;
    }
    static constexpr int later(int a, int b) { return a < b ? b : a; }
    static constexpr int earlier(int a, int b) { return a < b ? a : b; }

    constexpr void find_used() {
        for (std::size_t k = 0; k < g_.output_count; ++k) result_.used.at[g_.outputs[k]] = true;
        for (node_index i = static_cast<node_index>(g_.size); i-- > 0;) {
            for (int k = 0; k < t_.facts.reads.at[i] && result_.used.at[i]; ++k) result_.used.at[g_[i].operand[k]] = true;
        }
    }
    constexpr void visit(node_index i) {
        const node& n = g_[i];
        if (!result_.used.at[i]) { // only its shape counts, and that of its views
            const role r = t_.facts.role_of.at[i];
            result_.stored.at[i] = r == role::elementwise || r == role::reduction || r == role::call;
            return;
        }
        int& stage = t_.stage.at[i];
        if (is_shift(i)) {
            result_.shifted.at[i] = t_.any_shift = true;
            t_.facts.role_of.at[i] = role::elementwise;
        }
        switch (t_.facts.role_of.at[i]) {
        case role::constant:
        case role::leaf: break;
        case role::view: see(i); break;
        case role::elementwise: {
            const bool moves = n.is(opcode::stop_gradient) || is_array_operation(n.op);
            bool heavy = !moves && !is_inline(n.op), around = result_.shifted.at[i];
            for (int k = 0; k < t_.facts.reads.at[i]; ++k) {
                const node_index x = n.operand[k];
                // Sums of shifts of sums of shifts would need ever more elements around each.
                if (result_.shifted.at[i] && around_.at[x] && !result_.shifted.at[x]) store(x);
                stage = later(stage, available(x, t_.space.at[i]));
                heavy = heavy || heavy_.at[x];
                around = around || around_.at[x];
                behind_.at[i] = later(behind_.at[i], behind_.at[x]);
            }
            heavy_.at[i] = heavy;
            around_.at[i] = around;
            if (compared_.at[i]) store(i);
            store_for_shifts(i);
            t_.ready.at[i] = stage + 1;
            break;
        }
        case role::reduction:
            stage = available(n.operand[0], t_.space.at[n.operand[0]]);
            t_.ready.at[i] = stage + 1;
            result_.stored.at[i] = true;
            break;
        case role::call:
        case role::link:
            for (int k = 0; k < t_.facts.reads.at[i]; ++k) {
                if (t_.facts.role_of.at[n.operand[k]] != role::constant) stage = later(stage, complete(n.operand[k]));
            }
            t_.ready.at[i] = stage;
            if (t_.facts.role_of.at[i] == role::link) { // what it names may be computed in a loop of its own time
                const node_index x = n.operand[1];
                if (t_.facts.role_of.at[x] == role::elementwise && t_.space.at[x] != timetable::one_element) t_.ready.at[i] = stage + 1;
                break;
            }
            t_.ready.at[i] = stage + 1;
            result_.stored.at[i] = true;
            break;
        }
    }

    /// When view i can be read. (It reads memory, that of one element too.)
    constexpr void see(node_index i) {
        const node_index x = g_[i].operand[0];
        t_.stage.at[i] = complete(x);
        t_.ready.at[i] = t_.stage.at[i] + (t_.facts.role_of.at[x] == role::elementwise ? 1 : 0);
    }

    /// The memory of an output is that of its node, if that is computed, and no other output's.
    constexpr void claim_outputs() {
        for (std::size_t k = 0; k < g_.output_count; ++k) {
            node_index i = g_.outputs[k];
            while (g_[i].is(opcode::expand) || g_[i].is(opcode::squeeze)) i = g_[i].operand[0]; // the same elements
            const role r = t_.facts.role_of.at[i];
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
            if (!g_[i].is(opcode::unslice) || !result_.used.at[i] || result_.shifted.at[i] || decode_slice(g_[i].bits).step != 1) continue;
            bool free = t_.facts.role_of.at[x] == role::elementwise && t_.space.at[x] != timetable::one_element && result_.host.at[x] == no_node;
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
            for (int k = 0; k < t_.facts.reads.at[at]; ++k) {
                const node_index x = g_[at].operand[k];
                if (t_.facts.role_of.at[x] != role::elementwise || result_.stored.at[x] || !heavy_.at[x]) continue;
                if (t_.stage.at[x] < time) {
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
        for (node_index i = 0; i < g_.size; ++i) end = later(end, t_.ready.at[i]);
        list<int> wanted(g_.size, end);
        list<node_index> looped; // what loops store
        for (node_index i = 0; i < g_.size; ++i) {
            if (t_.facts.role_of.at[i] == role::elementwise && result_.stored.at[i] && result_.used.at[i]) looped.push_back(i);
        }
        for (node_index i = static_cast<node_index>(g_.size); i-- > 0;) {
            if (!result_.used.at[i]) continue;
            const role r = t_.facts.role_of.at[i];
            int when = t_.stage.at[i];
            if (r == role::elementwise && t_.space.at[i] == timetable::one_element) when = later(when, wanted.at[i]);
            if (r == role::reduction && !heavy_.at[g_[i].operand[0]]) when = time_to_ride(i, wanted.at[i], looped);
            if (when != t_.stage.at[i]) {
                t_.stage.at[i] = when;
                t_.ready.at[i] = when + 1;
            }
            const bool passes_on = r == role::view || (r == role::elementwise && !result_.stored.at[i]);
            for (int k = 0; k < t_.facts.reads.at[i]; ++k) {
                const node_index x = g_[i].operand[k];
                const bool shown = r == role::view && t_.facts.role_of.at[x] == role::elementwise; // before the view's time
                wanted.at[x] = earlier(wanted.at[x], passes_on ? wanted.at[i] - (shown ? 1 : 0) : when);
            }
        }
        for (node_index i = 0; i < g_.size; ++i) {
            if (t_.facts.role_of.at[i] == role::view && result_.used.at[i]) see(i);
        }
    }
    /// The time of the first loop, from that of reduction i on and before `wanted`, that is there anyway.
    [[nodiscard]] constexpr int time_to_ride(node_index i, int wanted, const list<node_index>& looped) const {
        const std::size_t space = t_.space.at[g_[i].operand[0]];
        int best = wanted;
        for (const node_index j : looped) {
            if (t_.stage.at[j] >= t_.stage.at[i] && t_.stage.at[j] < best && t_.space.at[j] == space) best = t_.stage.at[j];
        }
        return best < wanted ? best : t_.stage.at[i];
    }
    /// Operations and loads that loops rather do again, for one element, than store it.
    static constexpr int most_repeated = 48; // (measured: four neighbours are read faster than stored, six are not)

    graph_view g_;
    known_sizes d_;
    timetable t_;
    list<bool> compared_, heavy_, around_;
    list<int> shifts_;
    list<int> behind_; ///< by node: when what is stored for shifts, of what it is made of, is complete
    list<int> seen_until_; ///< by node: 1 more than the latest time for which keep_expensive went through it
    plan result_;
};

/// The schedule pass.
constexpr plan schedule(graph_view g, known_sizes d) {
    return scheduler(g, d).run();
}

} // namespace dyad
