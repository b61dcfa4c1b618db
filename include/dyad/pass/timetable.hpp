// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Over which space, and when, the schedule computes each node; numbers in the order of their times.
#pragma once

#include <dyad/pass/plan.hpp>

namespace dyad {

struct timetable {
    node_facts facts; ///< a shift's role is that of what loops compute
    list<iteration_space> spaces;
    list<std::size_t> space; ///< by node: its space's number
    list<int> stage;         ///< by node: when it is computed
    list<int> ready;         ///< by node: from when on its memory can be read
    bool any_shift = false;

    /// The space of what has one element.
    static constexpr std::size_t one_element = 0;

    constexpr timetable(graph_view g, known_sizes d)
        : facts(g), spaces{iteration_space{}}, space(g.size), stage(g.size), ready(g.size) {
        for (node_index i = 0; i < g.size; ++i) space.at[i] = number_of_space(i, g, d);
    }

private:
    /// The number of the space that a loop over node i has. (Numbers are compared often.)
    constexpr std::size_t number_of_space(node_index i, graph_view g, known_sizes d) {
        iteration_space s;
        for (unsigned k = g[i].rank; k-- > 0;) {
            if (const dimension size = d.at(i, k); size != 0) s.size[s.rank++] = size;
        }
        for (std::size_t number = 0; number < spaces.size(); ++number) {
            const iteration_space& known = spaces.at[number];
            bool same = known.rank == s.rank;
            for (unsigned k = 0; k < s.rank && same; ++k) same = known.size[k] == s.size[k];
            if (same) return number;
        }
        spaces.push_back(s);
        return spaces.size() - 1;
    }
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

} // namespace dyad
