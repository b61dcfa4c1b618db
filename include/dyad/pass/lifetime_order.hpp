// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// An order of statements in which few numbers wait for their users: an operand is computed when it is needed, and what ends the life of
// a number as soon as it can be. Value and gradient of Rosenbrock's function of ten variables as the sweeps leave them, first
// all squares and then all slopes, have up to 36 numbers waiting; in this order 6, for which there are registers.
#pragma once

#include <dyad/graph/graph.hpp>

namespace dyad {

/// An argument or a constant: such numbers are read from memory.
constexpr bool is_leaf(const node& n) {
    return n.op <= opcode::input;
}

/// How many numbers wait beyond those that fit into the registers, summed over the statements. (Of sixteen registers two hold
/// what an instruction works on.)
constexpr std::size_t spilled_numbers(graph_view g) {
    constexpr std::size_t registers = 14;
    list<node_index> last(g.size), ending(g.size); // by node: its last user; how many numbers it is the last user of
    for (node_index i = 0; i < g.size; ++i) {
        for (int k = arities.of[static_cast<std::size_t>(g.nodes[i].op)]; k-- > 0;) last.at[g.nodes[i].operand[k]] = i;
    }
    std::size_t waiting = 0, spilled = 0;
    for (std::size_t i = 0; i < g.size; ++i) {
        if (is_leaf(g.nodes[i])) continue;
        waiting -= ending.at[i];
        if (last.at[i] != 0) { // (an output that nobody uses goes to memory)
            ++ending.at[last.at[i]];
            ++waiting;
        }
        if (waiting > registers) spilled += waiting - registers;
    }
    return spilled;
}

class lifetime_order {
public:
    constexpr explicit lifetime_order(graph_view g)
        : g_(g), first_(g.size + 2), unready_(g.size), uses_(g.size), place_(g.size), done_(g.size) {
        for (std::size_t i = 0; i < g.size; ++i) {
            const node& n = g.nodes[i];
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
                ++first_.at[n.operand[k] + 2];
                ++uses_.at[n.operand[k]];
                ++unready_.at[i];
            }
        }
        for (std::size_t i = 2; i < first_.count; ++i) first_.at[i] += first_.at[i - 1];
        users_ = list<node_index>(first_.at[g.size + 1] + 1);
        for (node_index i = 0; i < g.size; ++i) {
            const node& n = g.nodes[i];
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) users_.at[first_.at[n.operand[k] + 1]++] = i;
        }
    }

    /// What stands last comes first: the parts of a gradient, by the first arguments before others, and then the value.
    constexpr graph run() {
        result_.input_count = g_.input_count;
        result_.nodes.reserve(g_.size);
        for (node_index i = 0; i < g_.size; ++i) {
            if (is_leaf(g_.nodes[i])) append(i);
        }
        for (node_index i = static_cast<node_index>(g_.size); i-- > 0;) compute(i);
        for (std::size_t k = 0; k < g_.output_count; ++k) result_.outputs.push_back(place_.at[g_.outputs[k]]);
        return static_cast<graph&&>(result_);
    }

private:
    constexpr void compute(node_index wanted) {
        needed_.push_back(wanted);
        while (!needed_.empty()) {
            const node_index i = needed_.back();
            if (done_.at[i] || unready_.at[i] == 0) {
                needed_.pop_back();
                if (!done_.at[i]) put(i);
                continue;
            }
            const node& n = g_.nodes[i];
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
                if (!done_.at[n.operand[k]]) needed_.push_back(n.operand[k]);
            }
        }
    }
    /// The next statement, and those that it lets end the life of a number.
    constexpr void put(node_index i) {
        append(i);
        while (!ending_.empty()) {
            const node_index next = ending_.back();
            ending_.pop_back();
            if (!done_.at[next] && unready_.at[next] == 0 && ends_a_life(next)) append(next);
        }
    }
    constexpr void append(node_index i) {
        done_.at[i] = true;
        place_.at[i] = static_cast<node_index>(result_.nodes.count);
        node moved = g_.nodes[i];
        for (int k = arities.of[static_cast<std::size_t>(moved.op)]; k-- > 0;) {
            const node_index x = moved.operand[k];
            moved.operand[k] = place_.at[x];
            if (--uses_.at[x] <= 2 && !is_leaf(g_.nodes[x])) offer_users(x); // (a square is two uses)
        }
        result_.nodes.push_back(moved);
        for (node_index u = first_.at[i]; u < first_.at[i + 1]; ++u) --unready_.at[users_.at[u]];
        if (!is_leaf(moved)) offer_users(i);
    }
    constexpr void offer_users(node_index x) {
        for (node_index u = first_.at[x]; u < first_.at[x + 1]; ++u) {
            if (!done_.at[users_.at[u]]) ending_.push_back(users_.at[u]);
        }
    }
    [[nodiscard]] constexpr bool ends_a_life(node_index i) const {
        const node& n = g_.nodes[i];
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
            const node_index x = n.operand[k];
            if (is_leaf(g_.nodes[x])) continue;
            node_index own = 0;
            for (int j = arities.of[static_cast<std::size_t>(n.op)]; j-- > 0;) own += n.operand[j] == x ? 1 : 0;
            if (uses_.at[x] == own) return true;
        }
        return false;
    }

    graph_view g_;
    list<node_index> first_, users_; ///< node i's users: users_[first_[i]] to users_[first_[i + 1]]
    list<node_index> unready_;       ///< by node: operands that are still to compute
    list<node_index> uses_;          ///< by node: uses that are still to come
    list<node_index> place_;         ///< in the result
    list<bool> done_;
    list<node_index> needed_, ending_; ///< to look at next
    graph result_;
};

/// The graph in that order, if nearly all numbers that do not fit into registers fit then. Otherwise long operations that begin
/// late cost more than registers are worth: the forces among four atoms took 1.15 times as long in vectors (1.02 in doubles), a
/// polynomial by Horner's rule 1.2.
constexpr graph order_by_lifetimes(graph_view g) {
    constexpr std::size_t longest = 4096; // compilers limit the steps of an evaluation
    const std::size_t spilled = g.size <= longest ? spilled_numbers(g) : 0;
    if (spilled > 0) {
        graph other = lifetime_order(g).run();
        if (spilled_numbers(other) <= spilled / 8) return other;
    }
    return copy_of(g);
}

} // namespace dyad
