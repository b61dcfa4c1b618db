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

/// Makes its member of itself, which reads nothing where that has no state.
template <class F>
struct copy_of_nothing {
    F f;
    constexpr copy_of_nothing() : f(std::as_const(f)) {}
};
/// An object of a class without a state. (g++ takes back that a closure is trivially copyable when it has been asked whether it
/// can be assigned, as by a std::pair that holds it; so it is the compiler that is asked here, not the trait, which it answers once.)
template <class F>
constexpr F instance_of() {
    if constexpr (std::is_default_constructible_v<F>) {
        return F{};
    } else if constexpr (__is_trivially_copyable(F)) {
        return std::bit_cast<F>(plain_bytes<sizeof(F)>{});
    } else {
        return copy_of_nothing<F>().f;
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
    if constexpr (!std::is_trivially_copy_constructible_v<F> || !std::is_trivially_destructible_v<F> || sizeof(F) > 8) {
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

/// A function as a member of what goes into pairs and tuples, which ask it whether it can be assigned: only one with a state is there.
/// Members of one object have places of their own, as equal empty classes would take a byte each.
template <class F, std::size_t Place = 0>
struct kept_function {
    F f;
    [[nodiscard]] constexpr const F& get() const { return f; }
};
template <stateless F, std::size_t Place>
struct kept_function<F, Place> {
    kept_function() = default;
    DYAD_FN constexpr explicit(false) kept_function(const F&) {}
    [[nodiscard]] constexpr F get() const { return instance_of<F>(); }
};

} // namespace dyad
