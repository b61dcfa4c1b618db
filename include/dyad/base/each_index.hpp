// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What is done for each of the indices that a compiler counts: one function for all of them, however many.
#pragma once

#include <cstddef>
#include <utility>

#include <dyad/base/config.hpp>

namespace dyad {

/// f(std::index_sequence<Begin, ..., N - 1>{}), in chunks: f has them in a fold expression, which nests a level an index in clang,
/// whose limit is 256.
///
///     for_indices<3>([&]<std::size_t... Item>(std::index_sequence<Item...>) { (step<Item>(), ...); });
template <std::size_t N, std::size_t Begin = 0, class F>
DYAD_INLINE constexpr void for_indices(const F& f) {
    constexpr std::size_t chunk = 32, left = N - Begin;
    if constexpr (Begin == 0 && 0 < N && N <= chunk) {
        f(std::make_index_sequence<N>{});
    } else if constexpr (left > 0) {
        [&]<std::size_t... Item>(std::index_sequence<Item...>) DYAD_INLINE_LAMBDA { f(std::index_sequence<Begin + Item...>{}); }(std::make_index_sequence<(left < chunk ? left : chunk)>{});
        if constexpr (left > chunk) for_indices<N, Begin + chunk>(f);
    }
}

} // namespace dyad
