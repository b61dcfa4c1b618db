// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What is done with a program's sizes where they do not fit at once: the same code for all programs.
#pragma once

#include <dyad/array/shape_error.hpp>

namespace dyad {

/// The arguments' sizes in a function, with all that stretches there. Refuses what does not fit. `known`, `name`: see shape_walk.
inline list<run_time_shape> full_sizes(graph_view function, const list<run_time_shape>& inputs, const list<run_time_shape>& known = {}, const char* name = nullptr) {
    shape_walk walk(function, inputs, known, name);
    walk.check();
    return walk.check_stretches();
}

/// Refuses what does not fit in a function whose bodies stand among its nodes. What is computed in a branch alone may fit whenever
/// that is taken.
inline void check_all(graph_view function, const list<run_time_shape>& inputs) {
    list<bool> computed(function.size);
    for (std::size_t k = 0; k < function.output_count; ++k) computed.at[function.outputs[k]] = true;
    for (node_index i = static_cast<node_index>(function.size); i-- > 0;) {
        const node& n = function[i];
        const int read = n.is(opcode::choice) ? 1 : is_rule(n.op) ? 2 : n.arity(); // the links before it; not the rule
        for (int k = 0; k < read && computed[i]; ++k) computed.at[n.operand[k]] = true;
    }
    shape_walk(function, inputs).check(computed);
}

/// The sizes of a program's arrays as they were found, whatever they are to be equal to.
struct found_sizes {
    graph_view graph;
    const dimension (*size_of)[max_rank]; ///< by node and axis, the number of a size
    const dimension_rule* rules;          ///< by number of a size
    const dimension* equal;               ///< likewise, the first equal one
    std::size_t count;
    std::size_t* size;
    graph_view function = {}; ///< what the program is a derivative of, or nothing

    /// Sizes that are equal in the plan differ: an axis of size 1 stretches, or the shapes do not fit. What does not fit in the
    /// function is named as it stands there, not as its derivative has it.
    void stretch_or_refuse(const list<run_time_shape>& inputs) const {
        if (function.size > 0) shape_walk(function, inputs).check();
        shape_walk walk(graph, inputs, shapes_of_bodies());
        walk.check();
        walk.settle(size, size_of);
        if (function.size == 0) static_cast<void>(walk.check_stretches());
    }
    [[noreturn]] void refuse(const list<run_time_shape>& inputs) const {
        if (function.size > 0) static_cast<void>(full_sizes(function, inputs));
        shape_walk(graph, inputs, shapes_of_bodies()).refuse_all();
    }
    /// By node, the shapes that the bodies of loops and branches give.
    [[nodiscard]] list<run_time_shape> shapes_of_bodies() const {
        list<run_time_shape> known(graph.size);
        for (node_index i = 0; i < graph.size; ++i) {
            const bool kept = graph[i].is(opcode::trail);
            if (!kept && (!graph[i].is(opcode::result) || graph[i].rank == 0)) continue;
            const std::uint64_t output = graph[i].bits + (kept ? values_of_body(graph[graph[i].operand[0]]) : 0);
            known[i].rank = graph[i].rank;
            for (unsigned k = 0; k < graph[i].rank; ++k) known[i].size[k] = size[size_of[i][k]];
            if (kept) known[i].size[graph[i].rank - 1U] = rounds(size_of[i][graph[i].rank - 1U]);
            for (std::size_t d = 0; d < count; ++d) {
                const dimension_rule& r = rules[d];
                if (r.kind == dimension_rule::of_body && r.a == graph[i].operand[0] && r.value == output) known[i].size[r.b] = size[d];
            }
        }
        return known;
    }

private:
    /// How many rounds a loop has, where others of the same size may stretch: the first of them need not be the right one.
    [[nodiscard]] std::size_t rounds(dimension of) const {
        std::size_t longest = size[of];
        for (std::size_t d = 0; d < count; ++d) {
            if (equal[d] != of) continue;
            if (rules[d].kind == dimension_rule::rounds || rules[d].kind == dimension_rule::fixed) return size[d];
            if (size[d] != 1) longest = size[d];
        }
        return longest;
    }
};

} // namespace dyad
