// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Compilers limit the work of one evaluation, and a Jacobian or a Hessian may be many times as large as its function: so its lines
// come in steps, as many at a time as make one short. (A Hessian is the Jacobian of the gradient.)
#pragma once

#include <dyad/pass/derive.hpp>

namespace dyad {

/// The lines of a function's Jacobian by so many inputs.
constexpr matrix_lines lines_of_jacobian(graph_view g, std::size_t columns) {
    bool loops = false, rules = false;
    for (std::size_t i = 0; i < g.size; ++i) {
        loops = loops || is_loop(g[i].op);
        rules = rules || is_rule(g[i].op);
    }
    return prefers_forward(g.output_count, columns, loops && !rules) ? matrix_lines::columns : matrix_lines::rows;
}

/// Where the steps of a matrix of `N` lines end, and the work of each: the nodes that depend on its columns' inputs, or that its
/// rows' outputs depend on.
template <std::size_t N>
struct line_steps {
    std::size_t end[N + 1] = {};
    std::size_t work[N + 1] = {};
    std::size_t count = 0;

    /// `g` is the function whose Jacobian it is, `by` its inputs.
    constexpr line_steps(graph_view g, const list<std::uint32_t>& by, matrix_lines lines) {
        constexpr std::size_t most = 400; // nodes: less than half of what clang allows to an evaluation
        const bool regions = has_regions(g);
        list<std::size_t> of_line(N, regions ? g.size : 0);
        for (std::size_t first = 0; first < N && !regions; first += 64) {
            if (is(lines, matrix_lines::rows)) count_needed(g, first, of_line);
            else count_dependents(g, by, first, of_line);
        }
        for (std::size_t k = 0; k < N; ++k) {
            if (k != 0 && work[count] + of_line[k] > most) ++count;
            work[count] += of_line[k];
            end[count] = k + 1;
        }
        ++count;
    }

private:
    // 64 lines at a time: a bit for each.
    static constexpr void count_dependents(graph_view g, const list<std::uint32_t>& by, std::size_t first, list<std::size_t>& of_line) {
        list<std::uint64_t> lines(g.size);
        for (std::size_t i = 0; i < g.size; ++i) {
            const node& n = g.nodes[i];
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) lines.at[i] |= lines.at[n.operand[k]];
            for (std::size_t j = first; n.is(opcode::input) && j < N && j < first + 64; ++j) {
                if (by.at[j] == n.bits) lines.at[i] |= std::uint64_t{1} << (j - first);
            }
            add(lines.at[i], first, of_line);
        }
    }
    static constexpr void count_needed(graph_view g, std::size_t first, list<std::size_t>& of_line) {
        list<std::uint64_t> lines(g.size);
        for (std::size_t k = first; k < N && k < first + 64; ++k) lines.at[g.outputs[k]] |= std::uint64_t{1} << (k - first);
        for (std::size_t i = g.size; i-- > 0;) {
            for (int k = arities.of[static_cast<std::size_t>(g.nodes[i].op)]; k-- > 0;) lines.at[g.nodes[i].operand[k]] |= lines.at[i];
            add(lines.at[i], first, of_line);
        }
    }
    static constexpr void add(std::uint64_t lines, std::size_t first, list<std::size_t>& of_line) {
        for (; lines != 0; lines &= lines - 1) ++of_line.at[first + static_cast<std::size_t>(std::countr_zero(lines))];
    }
};

/// The lines first ... last - 1 more. The first `rows` outputs of `g` are the function's; behind them stand the lines before. With
/// the last line it becomes the matrix, row by row.
template <class Rules>
constexpr graph with_lines(graph_view g, const list<std::uint32_t>& by, matrix_lines lines, std::size_t rows, std::size_t first, std::size_t last,
                           policy p, region_rules_pointer regions) {
    opened_graph f(g, by, p, regions);
    list<node_index> function, outputs = f.outputs;
    for (std::size_t i = 0; i < rows; ++i) function.push_back(outputs[i]);
    for (std::size_t k = first; k < last; ++k) {
        for (const node_index entry : line_of_matrix<Rules>(f.b, lines, function, f.by, k)) outputs.push_back(entry);
    }
    const bool all = last == count_of_lines(lines, rows, by.size());
    if (all) outputs = matrix_of_lines(outputs.data() + rows, lines, rows, by.size());
    graph result = f.b.finish(outputs);
    result.input_count = g.input_count;
    return result;
}

} // namespace dyad
