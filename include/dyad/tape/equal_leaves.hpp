// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Leaves of a statement that are the same number, as in `x * x + x`: one operand is recorded, with the sum of their partial
// derivatives. All of it is straight code for a known count of leaves.
#pragma once

#include <cstddef>
#include <utility>

#include <dyad/tape/recorded.hpp>

namespace dyad {

template <std::size_t Count>
class equal_leaves {
    /// Up to so many leaves are compared; up to so many more, only those count as equal that the optimiser knows to be, as in
    /// `p * x - q * x * y`.
    static constexpr std::size_t most_compared = 4, most_merged = 8;

public:
    /// Whether no two are equal.
    DYAD_INLINE static bool distinct([[maybe_unused]] const tape_key* key) {
        return [&]<std::size_t... P>(std::index_sequence<P...>) DYAD_INLINE_LAMBDA {
            return !(equal(key[pair(P).first], key[pair(P).second]) || ...);
        }(std::make_index_sequence<Count <= most_merged ? Count * (Count - 1) / 2 : 0>{});
    }
    /// Adds the partial derivative of each leaf to that of the first one equal to it, whose slope is then no unit any more.
    template <class T>
    DYAD_INLINE static void merge(const tape_key* key, T* partial, bool* unit, bool* merged) {
        [&]<std::size_t... K>(std::index_sequence<K...>) DYAD_INLINE_LAMBDA {
            (merge_leaf<K>(key, partial, unit, merged, std::make_index_sequence<K>{}), ...);
        }(std::make_index_sequence<Count>{});
    }

private:
    /// Number p of the pairs: (0, 1), (0, 2), (1, 2), (0, 3) ...
    static constexpr std::pair<std::size_t, std::size_t> pair(std::size_t p) {
        std::size_t second = 1;
        while (p >= second) p -= second++;
        return {p, second};
    }
    DYAD_INLINE static bool equal(const tape_key& a, const tape_key& b) {
        if constexpr (Count <= most_compared) return a == b;
        const bool same = a == b; // (of a call g++ knows nothing)
        return __builtin_constant_p(same) && same;
    }
    template <std::size_t K, class T, std::size_t... J>
    DYAD_INLINE static void merge_leaf([[maybe_unused]] const tape_key* key, [[maybe_unused]] T* partial, [[maybe_unused]] bool* unit,
                                       [[maybe_unused]] bool* merged, std::index_sequence<J...>) {
        (void((!merged[K] && !merged[J] && equal(key[J], key[K]))
                  ? (partial[J] = T(partial[J] + partial[K]), unit[J] = false, merged[K] = true)
                  : false),
         ...);
    }
};

} // namespace dyad
