// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A matrix of derivatives as lines, each of which one sweep makes: columns go forward, one input's slopes of all outputs; rows go
// backwards, one output's slopes by all inputs.
#pragma once

#include <dyad/base/is.hpp>
#include <dyad/base/list.hpp>
#include <dyad/graph/node.hpp>

namespace dyad {

enum class matrix_lines {
    columns,
    rows,
    triangle ///< columns of a symmetric matrix, down to the diagonal
};
DYAD_COMPARED(matrix_lines)

constexpr std::size_t count_of_lines(matrix_lines lines, std::size_t rows, std::size_t columns) {
    return is(lines, matrix_lines::rows) ? rows : columns;
}
/// The length of line k.
constexpr std::size_t length_of_line(matrix_lines lines, std::size_t k, std::size_t rows, std::size_t columns) {
    return is(lines, matrix_lines::rows) ? columns : is(lines, matrix_lines::columns) ? rows : k + 1;
}

/// The matrix, row by row, of entries that stand line by line.
constexpr list<node_index> matrix_of_lines(const node_index* entries, matrix_lines lines, std::size_t rows, std::size_t columns) {
    list<node_index> matrix(rows * columns);
    for (std::size_t k = 0; k < count_of_lines(lines, rows, columns); ++k) {
        const std::size_t length = length_of_line(lines, k, rows, columns);
        for (std::size_t i = 0; i < length; ++i) {
            matrix[is(lines, matrix_lines::rows) ? k * columns + i : i * columns + k] = *entries;
            if (is(lines, matrix_lines::triangle)) matrix[k * columns + i] = *entries;
            ++entries;
        }
    }
    return matrix;
}

} // namespace dyad
