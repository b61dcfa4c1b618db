// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What of a graph with regions is computed in whose body: which parameters occur free in it.
#pragma once

#include <dyad/graph/region.hpp>

namespace dyad {

/// Sets of parameters, by node: those that occur free in what the node computes; of the wanted nodes, with their operands.
/// (A bit for each parameter among the wanted nodes, however many there are in the builder.)
class free_parameters {
public:
    constexpr free_parameters(const node* nodes, std::size_t size) : free_parameters(nodes, list<bool>(size, true)) {}
    constexpr free_parameters(const node* nodes, const list<bool>& wanted) : nodes_(nodes) {
        std::size_t count = 0;
        for (node_index i = 0; i < wanted.count; ++i) {
            if (!wanted.at[i] || (nodes[i].op != opcode::parameter && nodes[i].op < opcode::loop)) continue;
            if (nodes[i].op != opcode::parameter) {
                if (is_region(nodes[i].op)) regions_.push_back(i);
                continue;
            }
            while (bit_.count <= nodes[i].bits) bit_.push_back(none);
            if (bit_.at[nodes[i].bits] == none) bit_.at[nodes[i].bits] = count++;
        }
        words_ = count / 64 + 1;
        sets_ = list<std::uint64_t>(wanted.count * words_);
        for (node_index i = 0; i < wanted.count; ++i) {
            if (!wanted.at[i]) continue;
            const node& n = nodes[i];
            if (n.op == opcode::parameter) insert(n.bits, sets_.at + i * words_);
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
                for (std::size_t w = 0; w < words_; ++w) sets_.at[i * words_ + w] |= sets_.at[n.operand[k] * words_ + w];
            }
            if (n.op < opcode::loop || (!is_region(n.op) && n.op != opcode::history)) continue;
            const list<std::uint64_t> bound = bound_by(n.op == opcode::history ? n.operand[0] : i);
            for (std::size_t w = 0; w < words_; ++w) sets_.at[i * words_ + w] &= ~bound.at[w];
        }
    }

    [[nodiscard]] constexpr bool empty(node_index i) const {
        for (std::size_t w = 0; w < words_; ++w) {
            if (row(i)[w] != 0) return false;
        }
        return true;
    }
    [[nodiscard]] constexpr bool meets(node_index i, const list<std::uint64_t>& set) const {
        for (std::size_t w = 0; w < words_; ++w) {
            if ((sets_.at[i * words_ + w] & set.at[w]) != 0) return true;
        }
        return false;
    }
    /// Whether all that are free in node i are so in node j.
    [[nodiscard]] constexpr bool within(node_index i, node_index j) const {
        for (std::size_t w = 0; w < words_; ++w) {
            if ((row(i)[w] & ~row(j)[w]) != 0) return false;
        }
        return true;
    }
    /// Those free in any of the nodes.
    [[nodiscard]] constexpr list<std::uint64_t> in_any(const list<node_index>& all) const {
        list<std::uint64_t> set(words_);
        for (const node_index i : all) {
            for (std::size_t w = 0; w < words_; ++w) set.at[w] |= row(i)[w];
        }
        return set;
    }
    /// The parameters that a region binds.
    [[nodiscard]] constexpr list<std::uint64_t> bound_by(node_index region) const {
        list<std::uint64_t> set(words_);
        add_bound(region, set.at);
        return set;
    }
    /// Those that the regions among the wanted nodes bind.
    [[nodiscard]] constexpr list<std::uint64_t> bound_within() const {
        list<std::uint64_t> set(words_);
        for (const node_index i : regions_) add_bound(i, set.at);
        return set;
    }
    /// The same, and those of a region whose body they are.
    [[nodiscard]] constexpr list<std::uint64_t> bound_within(node_index region) const {
        list<std::uint64_t> set = bound_within();
        add_bound(region, set.at);
        return set;
    }

private:
    static constexpr std::size_t none = ~std::size_t{0};

    [[nodiscard]] constexpr const std::uint64_t* row(node_index i) const { return sets_.at + i * words_; }
    constexpr void insert(std::uint64_t number, std::uint64_t* set) const {
        if (number >= bit_.count || bit_.at[number] == none) return; // it occurs nowhere
        set[bit_.at[number] / 64] |= std::uint64_t{1} << bit_.at[number] % 64;
    }
    constexpr void add_bound(node_index region, std::uint64_t* set) const {
        if (is_loop(nodes_[region].op)) insert(index_number(nodes_[region]), set);
        for (node_index i = nodes_[region].operand[1]; nodes_[i].op != opcode::nothing; i = nodes_[i].operand[0])
            insert(nodes_[i].bits, set);
    }

    const node* nodes_;
    list<node_index> regions_; ///< those among the wanted nodes
    list<std::size_t> bit_;    ///< by number of a parameter
    std::size_t words_ = 1;
    list<std::uint64_t> sets_;
};

/// Of the nodes that the roots need, the wanted ones, those that are computed in bodies only: from what a region binds and is not
/// free in the roots. (Regions whose bodies have much in common, a branch and its adjoint, bind the same parameters.)
constexpr list<bool> inside_bodies(const node* nodes, const list<bool>& wanted, const list<node_index>& roots) {
    const free_parameters free(nodes, wanted);
    const list<std::uint64_t> outer = free.in_any(roots);
    list<std::uint64_t> bound = free.bound_within();
    list<bool> inside(wanted.count);
    for (std::size_t w = 0; w < bound.count; ++w) bound.at[w] &= ~outer.at[w];
    for (node_index i = 0; i < wanted.count; ++i) inside.at[i] = wanted.at[i] && free.meets(i, bound);
    return inside;
}

} // namespace dyad
