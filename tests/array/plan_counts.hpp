// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// How many operations of a kind a plan computes.
#pragma once

#include <cstddef>

#include <dyad/array.hpp>

namespace plan_counts {

template <dyad::opcode Op>
constexpr std::size_t count_in(const dyad::plan_summary& p) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < p.graph.size; ++i) count += p.used[i] && p.graph[i].op == Op ? 1 : 0;
    return count;
}
/// Operations of the kind on arrays: those on numbers are outside of the loops.
template <dyad::opcode Op>
constexpr std::size_t count_on_arrays(const dyad::plan_summary& p) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < p.graph.size; ++i) count += p.used[i] && p.graph[i].op == Op && p.graph[i].rank > 0 ? 1 : 0;
    return count;
}

} // namespace plan_counts
