// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Colours of columns such that one sweep of derivatives serves all columns of a colour: Curtis, Powell, Reid, "On the
// estimation of sparse Jacobian matrices", 1974; Coleman, Moré, "Estimation of sparse Jacobian matrices and graph
// coloring problems", 1983, and "... of sparse Hessian matrices ...", 1984; Gebremedhin, Manne, Pothen, "What color is
// your Jacobian?", SIAM Review 47, 2005. All greedy, largest first: near the best in practice, and linear.
#pragma once

#include <dyad/base/bit_matrix.hpp>

namespace dyad {

struct colouring {
    list<std::uint32_t> colour; ///< of each column: 0, 1 ... count - 1
    std::uint32_t count = 0;
};

/// The numbers 0 ... n - 1, those of the largest weight first, equal ones in order.
constexpr list<std::uint32_t> largest_first(const list<std::size_t>& weight) {
    std::size_t most = 0;
    for (const std::size_t w : weight) most = w > most ? w : most;
    list<std::size_t> begin(most + 2); // of weight w: begin[most - w]
    for (const std::size_t w : weight) ++begin[most - w + 1];
    for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
    list<std::uint32_t> order(weight.size());
    for (std::uint32_t i = 0; i < weight.size(); ++i) order[begin[most - weight[i]]++] = i;
    return order;
}

/// The lowest number that is not in a set.
constexpr std::uint32_t lowest_free(const std::uint64_t* taken) {
    std::uint32_t w = 0;
    while (taken[w] == ~std::uint64_t{0}) ++w;
    return 64 * w + static_cast<std::uint32_t>(std::countr_one(taken[w]));
}

/// No two columns of a colour have a one in the same row: each entry is read off the sum of its colour's columns.
/// Empty columns have colour 0. A band of width w has w colours.
constexpr colouring colour_columns(const bit_matrix& m) {
    const bit_matrix rows_of = m.transposed();
    const std::size_t n = m.columns();
    list<std::size_t> in_row(m.rows()), neighbours(n);
    for (std::size_t i = 0; i < m.rows(); ++i) m.each(i, [&](std::size_t) { ++in_row[i]; });
    for (std::size_t j = 0; j < n; ++j) rows_of.each(j, [&](std::size_t i) { neighbours[j] += in_row[i] - 1; });

    colouring result{list<std::uint32_t>(n), 0};
    bit_matrix used(m.rows() + 1, n + 1); // colours in each row; the last: those that the column cannot have
    const std::size_t taken = m.rows();
    for (const std::uint32_t j : largest_first(neighbours)) {
        used.clear(taken);
        rows_of.each(j, [&](std::size_t i) { used.unite(taken, used.row(i)); });
        const std::uint32_t c = lowest_free(used.row(taken));
        rows_of.each(j, [&](std::size_t i) { used.set(i, c); });
        result.colour[j] = c;
        if (c >= result.count) result.count = c + 1;
    }
    return result;
}

/// The same for rows: no two of a colour have a one in the same column.
constexpr colouring colour_rows(const bit_matrix& m) {
    return colour_columns(m.transposed());
}

/// A star colouring of a symmetric matrix (the diagonal counts as ones): neighbours differ, and every path of four has
/// three colours. Then of each entry (i, j), i ≠ j, column j is alone with its colour in row i, or column i in row j;
/// and on the diagonal column i in row i. An arrow has 2 colours, a tridiagonal matrix 3.
constexpr colouring star_colouring(const bit_matrix& m) {
    constexpr std::uint32_t none = ~std::uint32_t{0};
    const std::size_t n = m.columns();
    list<std::size_t> degree(n);
    for (std::size_t i = 0; i < n; ++i) m.each(i, [&](std::size_t j) { degree[i] += j != i ? 1 : 0; });

    colouring result{list<std::uint32_t>(n, none), 0};
    bit_matrix nearby(n, n + 1);  // the colours of each one's neighbours
    bit_matrix twice(n + 1, n); // of each colour: who has two such neighbours
    bit_matrix taken(1, n + 1);
    for (const std::uint32_t v : largest_first(degree)) {
        taken.clear(0);
        m.each(v, [&](std::size_t w) {
            if (w == v) return;
            const std::uint32_t c = result.colour[w];
            if (c == none) { // whose neighbours all differ
                taken.unite(0, nearby.row(w));
                return;
            }
            taken.set(0, c);
            for (std::size_t k = 0; k < m.words(); ++k) { // x on a path v - w - x - y, y like w
                for (std::uint64_t left = m.row(w)[k] & twice.row(c)[k]; left != 0; left &= left - 1) {
                    const std::uint32_t x = result.colour[64 * k + static_cast<std::size_t>(std::countr_zero(left))];
                    if (x != none) taken.set(0, x);
                }
            }
        });
        const std::uint32_t c = lowest_free(taken.row(0));
        result.colour[v] = c;
        if (c >= result.count) result.count = c + 1;
        m.each(v, [&](std::size_t w) {
            if (w == v) return;
            if (nearby.test(w, c)) twice.set(c, w);
            nearby.set(w, c);
        });
    }
    return result;
}

} // namespace dyad
