// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Which arrays between a plan's loops and calls can lie in the same memory: of equal sizes, one written after the
// other was read for the last time. And what is read last where a result is written, element by element, lies in the
// result's memory (as log-sum-exp's exponentials do).
#pragma once

#include <dyad/pass/plan.hpp>

namespace dyad {

/// By node: the last time at which a loop or call reads its value, or computes with what reads it.
template <class Plan>
constexpr list<int> last_reads(graph_view g, const node_facts& facts, const Plan& p) {
    list<int> last(g.size, -1);
    const auto read = [&](node_index x, int time) {
        if (last.at[x] < time) last.at[x] = time;
    };
    for (std::size_t k = 0; k < g.output_count; ++k) read(g.outputs[k], 0x7fffffff);
    for (node_index i = static_cast<node_index>(g.size); i-- > 0;) {
        const role r = facts.role_of.at[i];
        const bool passes_on = r == role::view || r == role::link || (r == role::elementwise && !p.stored[i]);
        for (int k = 0; k < facts.reads.at[i]; ++k) {
            read(g[i].operand[k], p.time[i]);
            if (passes_on) read(g[i].operand[k], last.at[i]);
        }
    }
    return last;
}

/// `Plan` has, by node, `stored`, `used`, `shifted`, `time` and `host`; and by output `output_node`, so many of them.
template <class Plan>
class home_finder {
public:
    constexpr home_finder(graph_view g, known_sizes d, const Plan& p)
        : g_(g), d_(d), p_(p), facts_(facts_of(g, p)), last_(last_reads(g, facts_, p)), home_(g.size), latest_(g.size), fixed_(g.size), aside_(g.size),
          again_(g.size) {}

    /// By node: the one whose memory it takes, or itself.
    constexpr list<node_index> run() {
        for (node_index i = 0; i < g_.size; ++i) {
            home_.at[i] = latest_.at[i] = i;
            if (p_.host[i] != no_node) fixed_.at[i] = fixed_.at[p_.host[i]] = true;
        }
        find_aside();
        for (std::size_t k = 0; k < g_.output_count; ++k) {
            if (p_.output_node[k] != no_node) fixed_.at[p_.output_node[k]] = true;
        }
        for (node_index i = 0; i < g_.size; ++i) {
            if (p_.stored[i] && p_.used[i] && !fixed_.at[i] && g_[i].rank > 0) free_.push_back(i);
        }
        for (std::size_t k = 0; k < g_.output_count; ++k) {
            const node_index o = p_.output_node[k];
            if (o != no_node && facts_.role_of.at[o] == role::elementwise && !p_.shifted[o]) take_in(o);
        }
        for (const node_index i : free_) {
            if (!fixed_.at[i]) move_in(i);
        }
        return home_;
    }

private:
    static constexpr node_facts facts_of(graph_view g, const Plan& p) {
        node_facts facts(g);
        for (node_index i = 0; i < g.size; ++i) {
            if (p.shifted[i]) facts.role_of.at[i] = role::elementwise; // as in the timetable
        }
        return facts;
    }
    [[nodiscard]] constexpr bool same_sizes(node_index i, node_index j) const {
        bool same = g_[i].rank == g_[j].rank;
        for (unsigned k = 0; k < g_[i].rank && same; ++k) same = d_.at(i, k) == d_.at(j, k);
        return same;
    }
    constexpr void find_aside() {
        for (node_index i = static_cast<node_index>(g_.size); i-- > 0;) {
            const role r = facts_.role_of.at[i];
            for (int k = 0; k < facts_.reads.at[i]; ++k) {
                const node_index x = g_[i].operand[k];
                const bool lies = p_.stored[i] && !again_.at[i];
                const bool here = r == role::elementwise && same_sizes(i, x) && (lies || !aside_.at[i]);
                if (here || r == role::reduction) continue;
                aside_.at[x] = true;
                again_.at[x] = again_.at[x] || p_.time[i] <= p_.time[x] || (r == role::elementwise && again_.at[i]);
            }
        }
    }
    /// The memory of output o is there before o is: for one array that is read element by element, by the loop that
    /// computes o at the latest.
    constexpr void take_in(node_index o) {
        for (const node_index i : free_) {
            if (fixed_.at[i] || aside_.at[i] || last_.at[i] > p_.time[o] || !same_sizes(i, o)) continue;
            home_.at[i] = o;
            fixed_.at[i] = true;
            return;
        }
    }
    constexpr void move_in(node_index i) {
        for (const node_index j : homes_) {
            if (last_.at[latest_.at[j]] >= p_.time[i] || !same_sizes(i, j)) continue;
            home_.at[i] = j;
            latest_.at[j] = i;
            return;
        }
        homes_.push_back(i);
    }

    graph_view g_;
    known_sizes d_;
    const Plan& p_;
    node_facts facts_;
    list<int> last_;
    list<node_index> free_, homes_;  ///< what may move, and into what: much fewer than all nodes
    list<node_index> home_, latest_; ///< `latest`: who has the memory of a home
    list<bool> fixed_, aside_;       ///< `aside`: not only read element by element, by loops over its own elements
    list<bool> again_;               ///< `again`: and computed again there, when its memory may not hold it yet
};

} // namespace dyad
