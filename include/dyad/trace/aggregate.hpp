// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Aggregates taken apart: how many members one has, and these by reference. C++20 cannot ask for them, so it is tried out how many
// initialisers one takes.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <dyad/base/config.hpp>

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// Converts to anything but S and its bases: a member. (Never defined, never called, as the next three.)
template <class S>
struct any_member {
    template <class T>
        requires(!std::is_base_of_v<T, S>)
    operator T() const;
};
template <class S>
struct any_base {
    template <class T>
        requires(std::is_base_of_v<T, S> && !std::is_same_v<T, S>)
    operator T() const;
};
template <class S>
struct any_empty_base {
    template <class T>
        requires(std::is_base_of_v<T, S> && !std::is_same_v<T, S> && std::is_empty_v<T>)
    operator T() const;
};
/// A base as std::array, of which a binding makes elements, not members.
template <class S>
struct any_tuple_base {
    template <class T>
        requires(std::is_base_of_v<T, S> && !std::is_same_v<T, S> && requires { std::tuple_size<T>::value; })
    operator T() const;
};
/// An empty base, made.
template <std::size_t>
struct empty_base {
    template <class T>
        requires std::is_default_constructible_v<T>
    DYAD_FN constexpr operator T() const {
        return T{};
    }
};

/// So many members can be named.
inline constexpr std::size_t most_members = 16;

/// How many initialisers `Next` an S takes behind those `Before`; no more are counted than tell that they are too many.
template <class S, class Next, class... Before>
constexpr std::size_t count_after() {
    if constexpr (sizeof...(Before) > 2 * most_members) {
        return 0;
    } else if constexpr (requires { S{Before{}..., Next{}}; }) {
        return 1 + count_after<S, Next, Before..., Next>();
    } else {
        return 0;
    }
}
template <class S, class Next, class Before, std::size_t... B>
constexpr std::size_t count_behind(std::index_sequence<B...>) {
    return count_after<S, Next, decltype(static_cast<void>(B), Before{})...>();
}

/// The initialisers of an aggregate: empty bases, then members, all of one class; or those of its only base, whose braces are left out.
struct aggregate_form {
    bool comes_apart, inherited;
    std::size_t bases, members;
};
template <class S>
inline constexpr aggregate_form form_of = [] {
    constexpr std::size_t bases = count_after<S, any_base<S>>();
    if constexpr (bases == 0) {
        return aggregate_form{true, false, 0, count_after<S, any_member<S>>()};
    } else {
        constexpr std::size_t own = count_behind<S, any_member<S>, any_base<S>>(std::make_index_sequence<bases>{});
        if constexpr (own > 0) {
            return aggregate_form{count_after<S, any_empty_base<S>>() == bases, false, bases, own};
        } else {
            return aggregate_form{bases == 1 && count_after<S, any_tuple_base<S>>() == 0, true, 0, count_after<S, any_member<S>>()};
        }
    }
}();

/// Whether member K of N is an array, whose braces may be left out too, so that its elements count as members.
template <class S, std::size_t... B, std::size_t... K, std::size_t... Rest>
constexpr bool is_array_member(std::index_sequence<B...>, std::index_sequence<K...>, std::index_sequence<Rest...>) {
    using any = any_member<S>;
    if constexpr (requires { S{empty_base<B>{}..., (static_cast<void>(K), any{})..., {any{}, any{}}}; }) {
        return !requires { S{empty_base<B>{}..., (static_cast<void>(K), any{})..., {any{}, any{}}, (static_cast<void>(Rest), any{})...}; };
    } else {
        return false;
    }
}
template <class S, std::size_t K>
inline constexpr bool has_array_at =
    is_array_member<S>(std::make_index_sequence<form_of<S>.bases>{}, std::make_index_sequence<K>{}, std::make_index_sequence<form_of<S>.members - 1 - K>{});
/// Whether the members of an aggregate can be named one by one.
template <class S>
constexpr bool comes_apart() {
    return form_of<S>.comes_apart && []<std::size_t... K>(std::index_sequence<K...>) {
        return form_of<S>.inherited || !(has_array_at<S, K> || ...);
    }(std::make_index_sequence<form_of<S>.members>{});
}

template <class S>
constexpr bool has_few_members() {
    return form_of<S>.members <= most_members;
}

/// The members of an aggregate, by reference.
template <class S>
constexpr auto members(S& s) {
    constexpr std::size_t count = form_of<std::remove_const_t<S>>.members;
#define DYAD_MEMBERS(n, ...)                                                                         \
    if constexpr (count == n) {                                                                      \
        auto& [__VA_ARGS__] = s;                                                                     \
        return std::tie(__VA_ARGS__);                                                                \
    }
    DYAD_MEMBERS(1, a)
    DYAD_MEMBERS(2, a, b)
    DYAD_MEMBERS(3, a, b, c)
    DYAD_MEMBERS(4, a, b, c, d)
    DYAD_MEMBERS(5, a, b, c, d, e)
    DYAD_MEMBERS(6, a, b, c, d, e, f)
    DYAD_MEMBERS(7, a, b, c, d, e, f, g)
    DYAD_MEMBERS(8, a, b, c, d, e, f, g, h)
    DYAD_MEMBERS(9, a, b, c, d, e, f, g, h, i)
    DYAD_MEMBERS(10, a, b, c, d, e, f, g, h, i, j)
    DYAD_MEMBERS(11, a, b, c, d, e, f, g, h, i, j, k)
    DYAD_MEMBERS(12, a, b, c, d, e, f, g, h, i, j, k, l)
    DYAD_MEMBERS(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
    DYAD_MEMBERS(14, a, b, c, d, e, f, g, h, i, j, k, l, m, n)
    DYAD_MEMBERS(15, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
    DYAD_MEMBERS(16, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
#undef DYAD_MEMBERS
}

} // namespace dyad
DYAD_BOTH_SIDES_END
