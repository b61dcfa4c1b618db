// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Matrices of bits, 64 to a word: which outputs depend on which inputs, which columns share a row. `bit_matrix` is what
// passes make; `frozen_bits` has its size in its type and is what programs keep.
#pragma once

#include <bit>
#include <cstdint>

#include <dyad/base/list.hpp>

namespace dyad {

/// `rows` by `columns` bits, all 0 at first. Rows are sets, which unite word by word.
class bit_matrix {
public:
    constexpr bit_matrix() = default;
    constexpr bit_matrix(std::size_t rows, std::size_t columns)
        : rows_(rows), columns_(columns), words_((columns + 63) / 64), bits_(rows * words_) {}
    constexpr bit_matrix(std::size_t rows, std::size_t columns, const std::uint64_t* words) : bit_matrix(rows, columns) {
        for (std::size_t w = 0; w < bits_.size(); ++w) bits_.at[w] = words[w];
    }

    [[nodiscard]] constexpr std::size_t rows() const { return rows_; }
    [[nodiscard]] constexpr std::size_t columns() const { return columns_; }
    [[nodiscard]] constexpr std::size_t words() const { return words_; } ///< of each row
    [[nodiscard]] constexpr const std::uint64_t* row(std::size_t i) const { return bits_.at + i * words_; }
    constexpr std::uint64_t* row(std::size_t i) { return bits_.at + i * words_; }

    [[nodiscard]] constexpr bool test(std::size_t i, std::size_t j) const { return (row(i)[j / 64] >> j % 64 & 1) != 0; }
    constexpr void set(std::size_t i, std::size_t j) { row(i)[j / 64] |= std::uint64_t{1} << j % 64; }
    constexpr void clear(std::size_t i) {
        for (std::size_t w = 0; w < words_; ++w) row(i)[w] = 0;
    }
    /// Row i becomes, or takes in, a set of as many words.
    constexpr void assign(std::size_t i, const std::uint64_t* set) {
        for (std::size_t w = 0; w < words_; ++w) row(i)[w] = set[w];
    }
    constexpr void unite(std::size_t i, const std::uint64_t* set) {
        for (std::size_t w = 0; w < words_; ++w) row(i)[w] |= set[w];
    }
    [[nodiscard]] constexpr bool equals(std::size_t i, const std::uint64_t* set) const {
        for (std::size_t w = 0; w < words_; ++w) {
            if (row(i)[w] != set[w]) return false;
        }
        return true;
    }

    /// The number of ones.
    [[nodiscard]] constexpr std::size_t count() const {
        std::size_t result = 0;
        for (const std::uint64_t word : bits_) result += static_cast<std::size_t>(std::popcount(word));
        return result;
    }
    /// f(column) for the ones of row i, in order.
    template <class F>
    constexpr void each(std::size_t i, F f) const {
        for (std::size_t w = 0; w < words_; ++w) {
            for (std::uint64_t left = row(i)[w]; left != 0; left &= left - 1)
                f(64 * w + static_cast<std::size_t>(std::countr_zero(left)));
        }
    }
    [[nodiscard]] constexpr bit_matrix transposed() const {
        bit_matrix result(columns_, rows_);
        for (std::size_t i = 0; i < rows_; ++i) each(i, [&](std::size_t j) { result.set(j, i); });
        return result;
    }

    friend constexpr bool operator==(const bit_matrix& a, const bit_matrix& b) {
        if (a.rows_ != b.rows_ || a.columns_ != b.columns_) return false;
        for (std::size_t w = 0; w < a.bits_.size(); ++w) {
            if (a.bits_.at[w] != b.bits_.at[w]) return false;
        }
        return true;
    }

private:
    std::size_t rows_ = 0;
    std::size_t columns_ = 0;
    std::size_t words_ = 0;
    list<std::uint64_t> bits_;
};

/// A matrix of bits that a program keeps.
template <std::size_t Rows, std::size_t Columns>
struct frozen_bits {
    static constexpr std::size_t size = Rows * ((Columns + 63) / 64);
    std::uint64_t words[size == 0 ? 1 : size] = {};

    constexpr explicit frozen_bits(const bit_matrix& m) {
        for (std::size_t w = 0; w < size; ++w) words[w] = m.row(0)[w];
    }
    [[nodiscard]] constexpr bit_matrix matrix() const { return {Rows, Columns, words}; }
};

} // namespace dyad
