// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What products have in common. A product is a set of factors; a pair of factors that several products hold becomes
// one factor of them all. Greedy, a pair at a time, by the number of products that want it (as in Breuer,
// Generation of optimal code for expressions via factorization, CACM 12 (1969) 333).
#pragma once

#include <dyad/pass/factors.hpp>
#include <dyad/pass/pair_table.hpp>

namespace dyad {

/// A product of nodes of a graph and, from the graph's size on, of pairs. If it is a term of a sum, a constant among
/// its factors stands apart, as its coefficient.
struct product {
    static constexpr int most = 8; ///< a longer one is a product of products
    node_index root = no_node;     ///< the node that it is
    bool term = false;
    double coefficient = 1;
    node_index constant = no_node; ///< the coefficient's node, as long as the coefficient is its value
    bool changed = false; ///< not the factors that were written any more
    int count = 0;
    node_index factor[most] = {};

    constexpr void replace(int k, node_index f, double new_coefficient) {
        changed = true;
        factor[k] = f;
        coefficient = new_coefficient;
        constant = no_node;
    }
};

class product_sharing {
public:
    list<product> products;
    list<factor_pair> pairs; ///< those that have become factors

    constexpr explicit product_sharing(graph_view g) : g_(g) {}

    static constexpr bool is_power_of_two(double x) {
        return (std::bit_cast<std::uint64_t>(x) & ((std::uint64_t{1} << 52) - 1)) == 0;
    }

    /// One of the products, as it was collected.
    constexpr void expect(const product& p) {
        pairs_to_expect_ += static_cast<std::size_t>(p.count > 2 ? p.count * p.count : 2);
        if (p.constant != no_node && coefficients_.count < 8 && !welcome(p.coefficient))
            coefficients_.push_back(p.coefficient);
    }

    constexpr void run() {
        pair_table table(pairs_to_expect_);
        join_pairs(table);
        merge_equal(table);
        share_multiples();
    }

private:
    /// k·f, by f.
    struct multiple {
        node_index constant = no_node; ///< k
        int wishes = 0;                ///< how many products hold both
        bool there = false;            ///< one of them holds nothing else
        node_index id = no_node;       ///< the pair, if it is made
    };

    constexpr node_index new_pair(node_index a, node_index b) {
        pairs.push_back({.first = a, .second = b});
        return static_cast<node_index>(g_.size + pairs.count - 1);
    }

    /// Rounds of: every product replaces the pair of its factors that most products hold by one factor.
    constexpr void join_pairs(pair_table& table) {
        for (const product& p : products) {
            if (p.count == 2) { // most
                factor_pair& pair = table.of(p.factor[0], p.factor[1]);
                ++pair.count;
                pair.whole = pair.whole || !p.term;
                continue;
            }
            for (int k = 1; k < p.count; ++k) {
                for (int j = 0; j < k; ++j) {
                    const bool again = (j > 0 && p.factor[j] == p.factor[j - 1]) ||
                                       (k > j + 1 && p.factor[k] == p.factor[k - 1]);
                    if (!again) ++table.of(p.factor[j], p.factor[k]).count; // once a product, squares too
                }
            }
        }
        for (bool again = true; again;) {
            again = false;
            for (product& p : products) {
                if (p.count > 2) again = join_best_pair(table, p) || again;
            }
        }
    }
    constexpr bool join_best_pair(pair_table& table, product& p) {
        factor_pair* best = nullptr;
        int first = 0, second = 0;
        for (int k = 1; k < p.count; ++k) {
            for (int j = 0; j < k; ++j) {
                factor_pair& candidate = table.of(p.factor[j], p.factor[k]);
                if (candidate.count < 2 || (best != nullptr && !candidate.better_than(*best))) continue;
                best = &candidate;
                first = j;
                second = k;
            }
        }
        if (best == nullptr) return false;
        if (best->id == no_node) best->id = new_pair(best->first, best->second);
        p.changed = true;
        p.factor[first] = best->id;
        p.factor[second] = p.factor[--p.count];
        for (int j = 0; j < p.count; ++j) {
            if (j != first) ++table.of(p.factor[j], p.factor[first]).count;
        }
        return true;
    }

    /// Products that have become the same pair are one factor from here on, for their users and for terms.
    constexpr void merge_equal(pair_table& table) {
        list<node_index> merged(g_.size); // 0: not
        for (product& p : products) {
            for (int k = 0; k < p.count; ++k) {
                const node_index f = p.factor[k];
                if (f < g_.size && merged.at[f] != 0) p.factor[k] = merged.at[f];
            }
            if (p.count != 2 || p.term) continue;
            factor_pair& pair = table.of(p.factor[0], p.factor[1]);
            if (pair.root == no_node) {
                pair.root = p.root;
            } else if (pair.id == no_node) {
                pair.id = merged.at[pair.root] = new_pair(pair.first, pair.second);
            }
            if (pair.id != no_node) merged.at[p.root] = pair.id;
        }
        for (product& p : products) {
            if (p.count != 2 || p.constant == no_node) continue;
            factor_pair& pair = table.of(p.factor[0], p.factor[1]);
            if (pair.root == no_node) continue;
            if (pair.id == no_node) pair.id = new_pair(pair.first, pair.second);
            p.changed = true;
            p.count = 1;
            p.factor[0] = pair.id;
        }
    }

    /// Where k·f is there, or a term, or wanted twice, a term 2ʲ·k·f·g is made from it: 2ʲ·(k·f)·g.
    constexpr void share_multiples() {
        multiples_ = list<multiple>(g_.size + pairs.count);
        for (const product& p : products) {
            for (int k = 0; p.constant != no_node && k < p.count; ++k) {
                const bool square = k > 0 && p.factor[k] == p.factor[k - 1];
                if (!square) wish(p.factor[k], p.constant, p.count == 1);
            }
            for (int k = 0; k < 2 && p.count == 2; ++k) {
                const node_index f = p.factor[k];
                if (f < g_.size && g_.nodes[f].op == opcode::constant && is_moderate(constant_value(g_.nodes[f]).high)) wish(p.factor[1 - k], f, true);
            }
        }
        for (product& p : products) {
            if (p.count > 1 && p.constant != no_node) take_multiple(p);
        }
        for (product& p : products) {
            if (p.count != 1 || p.constant == no_node || p.factor[0] >= multiples_.count) continue;
            const multiple& m = multiples_.at[p.factor[0]];
            if (m.id != no_node && m.constant == p.constant) p.replace(0, m.id, 1);
        }
    }
    /// Some product has the constant and f as factors; `there`: it is nothing more.
    constexpr void wish(node_index f, node_index constant, bool there) {
        multiple& m = multiples_.at[f];
        if (m.constant == no_node || (there && !m.there)) m = {constant, 0, there, no_node};
        if (m.constant == constant) ++m.wishes;
    }
    constexpr void take_multiple(product& p) {
        int best = -1;
        double scale = 1;
        for (int k = 0; k < p.count; ++k) {
            if (p.factor[k] >= multiples_.count) continue;
            const multiple& m = multiples_.at[p.factor[k]];
            const bool sought = m.there || m.wishes > 1;
            if (!sought || (best >= 0 && m.wishes < multiples_.at[p.factor[best]].wishes)) continue;
            const double ratio = p.coefficient / constant_value(g_.nodes[m.constant]).high;
            if (!is_power_of_two(ratio) || !welcome(ratio)) continue;
            best = k;
            scale = ratio;
        }
        if (best < 0) return;
        multiple& m = multiples_.at[p.factor[best]];
        if (m.id == no_node) m.id = new_pair(m.constant, p.factor[best]);
        p.replace(best, m.id, scale);
    }
    /// 1, or a coefficient that terms have anyway and so may share.
    [[nodiscard]] constexpr bool welcome(double coefficient) const {
        if (coefficient == 1 || coefficient == -1) return true;
        for (const double c : coefficients_) {
            if (c == coefficient || c == -coefficient) return true;
        }
        return false;
    }

    graph_view g_;
    list<multiple> multiples_;
    list<double> coefficients_; ///< the first ones that terms have
    std::size_t pairs_to_expect_ = 0;
};

} // namespace dyad
