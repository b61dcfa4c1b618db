// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Cuts a graph of arrays into the fewest loops. What is computed element by element over equal sizes at equal times
// is one loop; reductions ride in the loop that feeds them; library calls and what needs a finished reduction come
// later. Values are stored only where something must read them: calls, results, and later loops to which
// computing them again would cost more.
#pragma once

#include <dyad/pass/dimensions.hpp>

namespace dyad {

/// How a node comes about.
enum class role : std::uint8_t {
    constant,
    leaf,        ///< an argument, or a number that follows from sizes
    view,        ///< the memory of another node, read in another way
    elementwise, ///< computed in loops, stored or not
    reduction,   ///< accumulated in a loop
    call         ///< computed by a routine of its own, from memory to memory
};

constexpr role role_of(opcode op) {
    switch (op) {
    case opcode::constant: return role::constant;
    case opcode::input:
    case opcode::extent: return role::leaf;
    case opcode::expand:
    case opcode::squeeze:
    case opcode::transpose:
    case opcode::flip:
    case opcode::slice:
    case opcode::diagonal:
    case opcode::unfold:
    case opcode::window: return role::view;
    case opcode::reduce_sum:
    case opcode::reduce_prod:
    case opcode::reduce_max:
    case opcode::reduce_min: return role::reduction;
    case opcode::broadcast_like:
    case opcode::fill: return role::elementwise; // the operand's value, for more elements
    default: return is_array_operation(op) ? role::call : role::elementwise;
    }
}

/// The operands that are read; of the others only the shape counts.
constexpr int operands_read(const node& n) {
    switch (n.op) {
    case opcode::broadcast_like:
    case opcode::unslice:
    case opcode::unwindow:
    case opcode::undiagonal:
    case opcode::unfold:
    case opcode::fold:
    case opcode::window:
    case opcode::reshape_like: return 1;
    case opcode::extent:
    case opcode::eye_like:
    case opcode::outer_like: return 0;
    default: return n.arity();
    }
}

/// The sizes that a loop runs over, outermost first; axes of size 1 take no part.
struct iteration_space {
    unsigned rank = 0;
    dimension size[max_rank] = {};
    friend constexpr bool operator==(const iteration_space&, const iteration_space&) = default;
};

/// What a loop delivers: `value`, stored or accumulated, as node `node`; a number from the graph's size on means a
/// further copy for an output.
struct sink {
    node_index node = 0, value = 0;
};
struct loop_plan {
    int time = 0;
    iteration_space space;
    std::size_t first = 0, count = 0; ///< of its sinks
};
struct plan_step {
    enum kind_t : std::uint8_t { view, loop, call };
    kind_t kind = view;
    node_index index = 0; ///< of the node, or of the loop
};

struct plan {
    list<plan_step> steps;
    list<loop_plan> loops;
    list<sink> sinks;
    list<bool> stored;            ///< by node: it has memory of its own
    list<int> time;               ///< by node: when it is computed
    list<node_index> output_node; ///< by output: the node whose memory it is, or no_node for a copy
    list<node_index> host;        ///< by node: the node of whose memory its own is a part, or no_node
};

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
        : g_(g), d_(d), stage_(g.size), ready_(g.size), heavy_(g.size) {
        result_.stored = list<bool>(g.size);
        result_.host = list<node_index>(g.size, no_node);
    }

    constexpr plan run() {
        for (node_index i = 0; i < g_.size; ++i) visit(i);
        claim_outputs();
        find_hosts();
        for (node_index i = static_cast<node_index>(g_.size); i-- > 0;) {
            const role r = role_of(g_[i].op);
            if (r == role::elementwise && result_.stored.at[i]) keep_expensive(i, stage_.at[i]);
            if (r == role::reduction) keep_expensive_operand(g_[i].operand[0], stage_.at[i]);
        }
        collect();
        result_.time = stage_;
        return result_;
    }

    [[nodiscard]] constexpr iteration_space space_of(node_index i) const {
        iteration_space s;
        for (unsigned k = g_[i].rank; k-- > 0;) {
            if (const dimension size = d_.at(i, k); size != 0) s.size[s.rank++] = size;
        }
        return s;
    }

private:
    [[nodiscard]] constexpr role role_at(node_index i) const { return role_of(g_[i].op); }

    /// When the value of x can be read by a loop that runs over `space`; stores it where that is the way.
    constexpr int available(node_index x, const iteration_space& space) {
        if (role_at(x) != role::elementwise) return ready_.at[x];
        const iteration_space mine = space_of(x);
        const bool number = mine.rank == 0 && space.rank != 0;
        const bool costly = heavy_.at[x] || g_[x].op == opcode::div;
        if (number || (costly && mine != space)) store(x);
        return result_.stored.at[x] && !number && mine != space ? stage_.at[x] + 1 : stage_.at[x];
    }
    /// When memory of x is complete, for what cannot ride in a loop.
    constexpr int complete(node_index x) {
        if (role_at(x) != role::elementwise) return ready_.at[x];
        store(x);
        return stage_.at[x];
    }
    constexpr void store(node_index x) {
        result_.stored.at[x] = true;
        heavy_.at[x] = false;
    }
    static constexpr int later(int a, int b) { return a < b ? b : a; }

    constexpr void visit(node_index i) {
        const node& n = g_[i];
        int& stage = stage_.at[i];
        switch (role_of(n.op)) {
        case role::constant:
        case role::leaf: break;
        case role::view: {
            const node_index x = n.operand[0];
            const bool wait = role_at(x) == role::elementwise && space_of(x).rank != 0;
            stage = complete(x);
            ready_.at[i] = stage + (wait ? 1 : 0);
            break;
        }
        case role::elementwise: {
            const bool moves = n.op == opcode::stop_gradient || is_array_operation(n.op);
            bool heavy = !moves && !is_inline(n.op);
            const iteration_space space = space_of(i);
            for (int k = 0; k < operands_read(n); ++k) {
                stage = later(stage, available(n.operand[k], space));
                heavy = heavy || heavy_.at[n.operand[k]];
            }
            heavy_.at[i] = heavy;
            ready_.at[i] = stage + 1;
            break;
        }
        case role::reduction:
            stage = available(n.operand[0], space_of(n.operand[0]));
            ready_.at[i] = stage + 1;
            result_.stored.at[i] = true;
            break;
        case role::call:
            for (int k = 0; k < operands_read(n); ++k) {
                if (role_at(n.operand[k]) != role::constant) stage = later(stage, complete(n.operand[k]));
            }
            ready_.at[i] = stage + 1;
            result_.stored.at[i] = true;
            break;
        }
    }

    /// The memory of an output is that of its node, if that is computed, and no other output's.
    constexpr void claim_outputs() {
        for (std::size_t k = 0; k < g_.output_count; ++k) {
            node_index i = g_.outputs[k];
            while (g_[i].op == opcode::expand || g_[i].op == opcode::squeeze) i = g_[i].operand[0]; // the same elements
            const role r = role_at(i);
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
            if (g_[i].op != opcode::unslice || decode_slice(g_[i].bits).step != 1) continue;
            bool free = role_at(x) == role::elementwise && space_of(x).rank > 0 && result_.host.at[x] == no_node;
            for (unsigned k = 0; k < g_[i].rank; ++k) {
                const bool cut = k == axis_of(g_[i].bits);
                free = free && k < g_[x].rank && (cut ? d_.at(x, k) != 0 : d_.at(x, k) == d_.at(i, k));
            }
            for (const node_index o : result_.output_node) free = free && o != x;
            if (free) result_.host.at[x] = i;
        }
    }

    /// Stores what the computation of i at a later time would compute again at a price.
    constexpr void keep_expensive(node_index i, int time) {
        for (int k = 0; k < operands_read(g_[i]); ++k) keep_expensive_operand(g_[i].operand[k], time);
    }
    constexpr void keep_expensive_operand(node_index x, int time) {
        if (role_at(x) != role::elementwise || result_.stored.at[x]) return;
        if (heavy_.at[x] && stage_.at[x] < time) return store(x);
        if (heavy_.at[x]) keep_expensive(x, time);
    }

    constexpr void collect() {
        list<sink> waiting;
        list<int> when;
        int last = 0;
        const auto want = [&](node_index node, node_index value, int time) {
            waiting.push_back({node, value});
            when.push_back(time);
        };
        for (node_index i = 0; i < g_.size; ++i) {
            const role r = role_at(i);
            if (r == role::elementwise && result_.stored.at[i]) want(i, i, stage_.at[i]);
            if (r == role::reduction) want(i, g_[i].operand[0], stage_.at[i]);
            last = later(last, ready_.at[i]);
        }
        for (std::size_t k = 0; k < g_.output_count; ++k) {
            const node_index i = g_.outputs[k];
            if (result_.output_node.at[k] == no_node && g_[i].rank > 0) // numbers are read where they lie
                want(static_cast<node_index>(g_.size + k), i, role_at(i) == role::elementwise ? stage_.at[i] : ready_.at[i]);
        }
        list<int> view_time(g_.size, -1), call_time(g_.size, -1);
        for (node_index i = 0; i < g_.size; ++i) {
            if (role_at(i) == role::view) view_time.at[i] = ready_.at[i];
            if (role_at(i) == role::call) call_time.at[i] = stage_.at[i];
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
        const std::size_t begin = result_.loops.size();
        for (std::size_t s = sinks.first(time); s != sinks.end; s = sinks.next.at[s]) {
            const iteration_space space = space_of(waiting.at[s].value);
            if ((space.rank == 0) != numbers) continue;
            bool known = false;
            for (std::size_t l = begin; l < result_.loops.size(); ++l) known = known || result_.loops.at[l].space == space;
            if (known) continue;
            loop_plan loop{time, space, result_.sinks.size(), 0};
            for (std::size_t r = s; r != sinks.end; r = sinks.next.at[r]) {
                if (!(space_of(waiting.at[r].value) == space)) continue;
                result_.sinks.push_back(waiting.at[r]);
                ++loop.count;
            }
            result_.steps.push_back({plan_step::loop, static_cast<node_index>(result_.loops.size())});
            result_.loops.push_back(loop);
        }
    }

    graph_view g_;
    const dimensions& d_;
    list<int> stage_, ready_;
    list<bool> heavy_;
    plan result_;
};

/// The schedule pass.
constexpr plan schedule(graph_view g, const dimensions& d) {
    return scheduler(g, d).run();
}

} // namespace dyad
