// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Pairs of factors: how many products hold each, and the factor that stands for those that are taken together.
#pragma once

#include <dyad/base/list.hpp>
#include <dyad/graph/node.hpp>

namespace dyad {

/// Two factors of one product, the smaller number first.
struct factor_pair {
    node_index first = no_node;
    node_index second = no_node;
    int count = 0;             ///< how many products hold both
    bool whole = false;        ///< whether a product of its own is nothing but these two ...
    node_index root = no_node; ///< ... and which
    node_index id = no_node;   ///< the factor that stands for both

    /// One that costs nothing more comes first; the rest is a choice that all products make alike.
    [[nodiscard]] constexpr bool better_than(const factor_pair& other) const {
        if (count != other.count) return count > other.count;
        if (whole != other.whole) return whole;
        return first != other.first ? first < other.first : second < other.second;
    }
};

/// A hash table of pairs. Its size is given beforehand: at most that many pairs.
class pair_table {
public:
    constexpr explicit pair_table(std::size_t most) : slots_(capacity_for(most)) {}

    /// The entry of a pair, made if there is none.
    constexpr factor_pair& of(node_index a, node_index b) {
        const node_index first = a < b ? a : b, second = a < b ? b : a;
        const std::uint64_t h = (std::uint64_t{first} << 32 | second) * 0x9e3779b97f4a7c15U;
        const std::size_t mask = slots_.count - 1;
        std::size_t slot = (h >> 32) & mask;
        while (slots_.at[slot].first != no_node) {
            if (slots_.at[slot].first == first && slots_.at[slot].second == second) return slots_.at[slot];
            slot = (slot + 1) & mask;
        }
        slots_.at[slot].first = first;
        slots_.at[slot].second = second;
        return slots_.at[slot];
    }

private:
    static constexpr std::size_t capacity_for(std::size_t most) {
        std::size_t capacity = 16;
        while (3 * capacity < 4 * most) capacity *= 2; // at least a quarter stays free
        return capacity;
    }

    list<factor_pair> slots_;
};

} // namespace dyad
