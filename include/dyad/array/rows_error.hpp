// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Arrays that are gone through side by side have equal first axes, in a loop or all at once.
#pragma once

#include <string>

#include <dyad/array/run_time_shape.hpp>
#include <dyad/base/list.hpp>

namespace dyad {

[[noreturn]] inline void refuse_rows(std::size_t a, std::size_t b, const run_time_shape& x, const run_time_shape& y) {
    throw shape_error("[dyad] scan, map, vmap: the arrays have " + std::to_string(a) + " and " + std::to_string(b) +
                      " elements along their first axes: " + text_of(x) + " vs. " + text_of(y));
}
/// Of node i, a broadcast_like of `equal_rows`; the arrays are named as they were before parts of them were taken.
inline void check_rows(graph_view g, node_index i, const list<run_time_shape>& shapes) {
    const auto whole = [&](node_index x) {
        while (is_turn(g[x].op) || g[x].is(opcode::slice) || g[x].is(opcode::flip)) x = g[x].operand[0];
        return g[x].is(opcode::fill_like) ? g[x].operand[1] : x;
    };
    const node_index x = g[i].operand[0], rows = g[i].operand[1];
    for (unsigned k = 0; k < g[rows].rank; ++k) {
        const std::size_t a = shapes.at[rows].size[k], b = shapes.at[x].size[k];
        if ((g[rows].ones >> k & 1) == 0 && a != b) refuse_rows(a, b, shapes.at[whole(rows)], shapes.at[whole(x)]);
    }
}

} // namespace dyad
