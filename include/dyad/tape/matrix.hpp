// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A derivative matrix whose sizes may be known at run time only: nested arrays where they are known, else nested vectors; a
// single plain number has no index.
#pragma once

#include <dyad/tape/tree.hpp>

namespace dyad {

template <class T, std::size_t N>
struct matrix_line {
    using type = std::array<T, N>;
};
template <class T>
struct matrix_line<T, any_size> {
    using type = std::vector<T>;
};

/// The matrix of elements at(i, j), rows of the targets `Y`, columns of the sources `X`.
template <class Y, class X, class F>
auto tree_matrix(std::size_t rows, std::size_t columns, F at) {
    using T = decltype(at(rows, columns));
    constexpr bool plain_rows = is_leaf_tree<std::remove_cvref_t<Y>>, plain_columns = is_leaf_tree<std::remove_cvref_t<X>>;
    const auto line = [&]<std::size_t N>(std::integral_constant<std::size_t, N>, std::size_t count, auto element) {
        typename matrix_line<decltype(element(count)), N>::type result{};
        if constexpr (N == any_size) result.resize(count);
        for (std::size_t k = 0; k < count; ++k) result[k] = element(k);
        return result;
    };
    constexpr std::integral_constant<std::size_t, tree_size<std::remove_cvref_t<Y>>> row_size{};
    constexpr std::integral_constant<std::size_t, tree_size<std::remove_cvref_t<X>>> column_size{};
    if constexpr (plain_rows && plain_columns) {
        return T(at(0, 0));
    } else if constexpr (plain_rows) {
        return line(column_size, columns, [&](std::size_t j) { return at(0, j); });
    } else if constexpr (plain_columns) {
        return line(row_size, rows, [&](std::size_t i) { return at(i, 0); });
    } else {
        return line(row_size, rows, [&](std::size_t i) { return line(column_size, columns, [&](std::size_t j) { return at(i, j); }); });
    }
}

} // namespace dyad
