// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What plain loops go through element by element: a container of numbers, or a tuple of several side by side.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include <dyad/base/error.hpp>
#include <dyad/base/text.hpp>
#include <dyad/base/unpack.hpp>
#include <dyad/op/operand.hpp>

namespace dyad {

/// A tuple or pair of containers (a std::array is a container itself).
template <class Xs>
concept side_by_side_sequences = !requires(const Xs& xs) { xs.begin(); } && requires { std::tuple_size<Xs>::value; };

/// Arrays of more than one axis, whose elements are rows.
template <class Xs>
inline constexpr bool has_rows = rank_of_array<Xs> > 1;
template <class... Xs>
inline constexpr bool has_rows<std::tuple<Xs...>> = (has_rows<Xs> || ...);
template <class X, class Y>
inline constexpr bool has_rows<std::pair<X, Y>> = has_rows<X> || has_rows<Y>;

/// Sequences that a loop goes through at once have different lengths.
[[noreturn]] inline void refuse_lengths(std::size_t a, std::size_t b) {
    text t("[dyad] scan, map, vmap: the arrays have ");
    (t.append(static_cast<std::int64_t>(a)) += " and ").append(static_cast<std::int64_t>(b)) += " elements along their first axes";
    throw shape_error(t.c_str());
}

/// Elements to go through: of one container, or of several side by side.
template <class Xs>
inline constexpr bool is_sequence = requires(const Xs& xs) { static_cast<std::size_t>(xs.end() - xs.begin()); };
template <class... Xs>
inline constexpr bool is_sequence<std::tuple<Xs...>> = (is_sequence<Xs> && ...);
template <class X, class Y>
inline constexpr bool is_sequence<std::pair<X, Y>> = is_sequence<X> && is_sequence<Y>;
/// The same; says so where it is not.
template <class Xs>
constexpr bool has_elements() {
    constexpr bool sequence = is_sequence<Xs>;
    static_assert(sequence, "[dyad] scan, map: what they go through is an array, a container with random access, or a tuple of such side by side");
    return sequence;
}
/// How many elements there are. Throws shape_error if containers side by side differ in it.
template <class Xs>
constexpr std::size_t sequence_length(const Xs& xs) {
    if constexpr (side_by_side_sequences<Xs>) {
        return unpack(
            [](const auto& first, const auto&... rest) {
                const std::size_t length = sequence_length(first);
                [[maybe_unused]] const auto check = [&](std::size_t other) {
                    if (other != length) refuse_lengths(length, other);
                };
                (check(sequence_length(rest)), ...);
                return length;
            },
            xs);
    } else {
        return static_cast<std::size_t>(xs.end() - xs.begin());
    }
}
/// Element i, or the tuple of all the containers' elements i.
template <class Xs>
constexpr auto sequence_at(const Xs& xs, std::size_t i) {
    if constexpr (side_by_side_sequences<Xs>) {
        return unpack([&](const auto&... x) { return std::tuple{sequence_at(x, i)...}; }, xs);
    } else {
        return *(xs.begin() + static_cast<std::ptrdiff_t>(i));
    }
}
/// The container that results are to be like.
template <class Xs>
constexpr const auto& first_sequence(const Xs& xs) {
    if constexpr (side_by_side_sequences<Xs>) {
        return first_sequence(std::get<0>(xs));
    } else {
        return xs;
    }
}

} // namespace dyad
