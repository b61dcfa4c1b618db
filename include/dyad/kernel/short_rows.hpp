// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Rows shorter than a vector or two, side by side in a buffer: an element for each as many times as a row is long, and what rows
// accumulate. Whole vectors are read and written, over the rows' ends and the buffer's.
#pragma once

#include <dyad/kernel/loop.hpp>

namespace dyad {

/// Elements that a buffer of rows must have more than the rows, which are no longer than that.
template <class T>
inline constexpr std::size_t slack_of_rows = 2 * lane_count<typename widest<T, true>::type>;

/// n times each of the elements that lie `down` apart, row by row.
template <class T, class E>
void repeat_elements(const E* from, std::ptrdiff_t down, std::size_t rows, std::size_t n, T* to) {
    using vector = typename widest<T, true>::type;
    for (std::size_t r = 0; r < rows; ++r, from += down, to += n) {
        const vector same(static_cast<T>(*from));
        for (std::size_t i = 0; i < n; i += lane_count<vector>) store_lanes(to + i, same); // (the next row's come after)
    }
}

/// What each row of n elements at `values`, which change, accumulates goes to what lies `down` apart at `to`.
template <keeping How, class T>
void accumulate_rows(T* values, std::size_t rows, std::size_t n, T* to, std::ptrdiff_t down) {
    using vector = typename widest<T, true>::type;
    constexpr std::size_t width = lane_count<vector>;
    if (n <= width) { // at each element what it and the next n - 1 accumulate: at a row's first one the row's
        for (std::size_t i = 0; i < rows * n; i += width) {
            auto all = load_lanes<vector>(static_cast<const T*>(values + i));
            for (std::size_t s = 1; s < n; ++s) all = combined<How>(all, load_lanes<vector>(static_cast<const T*>(values + i + s)));
            store_lanes(values + i, all);
        }
    } else {
        const auto twice = vector::numbers() < vector(static_cast<T>(2 * width - n)); // of a row's last vector
        for (std::size_t r = 0; r < rows; ++r) {
            T* const row = values + r * n;
            const vector last = math::choose(twice, vector(neutral<T>(How)), load_lanes<vector>(static_cast<const T*>(row + n - width)));
            *row = across<How, T>(combined<How>(load_lanes<vector>(static_cast<const T*>(row)), last));
        }
    }
    for (std::size_t r = 0; r < rows; ++r, to += down) *to = combined<How>(*to, values[r * n]);
}

} // namespace dyad
