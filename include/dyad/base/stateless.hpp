// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Functions without a state, and an object of each made from its type alone. A closure that names a capture default cannot
// be default-constructed even if it captures nothing, nor can one that captures another without a state: the helper of a
// helper. But their objects have no byte that means anything.
#pragma once

#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <dyad/base/config.hpp>

namespace dyad {

template <std::size_t N>
struct plain_bytes {
    unsigned char at[N];
};

/// An object of a class without a state.
template <class F>
constexpr F instance_of() {
    if constexpr (std::is_default_constructible_v<F>) {
        return F{};
    } else {
        return std::bit_cast<F>(plain_bytes<sizeof(F)>{});
    }
}

template <class F>
concept made_of_bytes = requires { typename std::bool_constant<(static_cast<void>(std::bit_cast<F>(plain_bytes<sizeof(F)>{})), true)>; };
/// Whether byte K of an F holds (part of) a value: that of padding, and so of an empty member, cannot be read in a constant expression.
template <class F, std::size_t K>
concept has_value_at = requires {
    typename std::integral_constant<unsigned char, std::bit_cast<plain_bytes<sizeof(F)>>(std::bit_cast<F>(plain_bytes<sizeof(F)>{})).at[K]>;
};
template <class F>
constexpr bool holds_nothing() {
    if constexpr (!std::is_trivially_copyable_v<F> || sizeof(F) > 8) {
        return false;
    } else if constexpr (std::is_empty_v<F>) {
        return true;
    } else if constexpr (DYAD_PADDING_IS_KNOWN && made_of_bytes<F>) {
        return []<std::size_t... K>(std::index_sequence<K...>) { return (!has_value_at<F, K> && ...); }(std::make_index_sequence<sizeof(F)>{});
    } else {
        return false;
    }
}

/// A function that can be run inside the compiler: it has no state, so any instance of it is the function.
template <class F>
concept stateless = (std::is_empty_v<F> && std::is_default_constructible_v<F>) || holds_nothing<F>();

} // namespace dyad
