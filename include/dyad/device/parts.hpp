// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What a kernel does with each of its inputs and outputs: tags, which are deduced from empty arguments.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <dyad/op/keeping.hpp>

namespace dyad::device {

/// An input with an element of type E at each step of the loop, one for all steps in the device's memory, or one in
/// the kernel's arguments; or no memory, but whether placement number P has the step.
template <class E>
struct walking {
    using element = E;
};
template <class E>
struct lasting {
    using element = E;
};
struct given {};
template <std::size_t P>
struct masking {};
/// As `walking`, where placement P has the step; 0 elsewhere.
template <class E, std::size_t P>
struct placed {
    using element = E;
};

/// An output stored as E at each step; accumulated, and the result stored as E; or not wanted from this kernel.
template <class E>
struct stored_as {
    using element = E;
};
template <keeping How, class E>
struct accumulated {
    using element = E;
};
struct left_out {};

template <class... Part>
struct parts {
    static constexpr std::size_t count = sizeof...(Part);
};
/// Parts by deduction: nvcc cannot name a kernel's type by way of an alias.
template <class... Part>
constexpr parts<Part...> parts_of(Part...) {
    return {};
}
template <class E>
constexpr walking<E> walking_over(const E*) {
    return {};
}
template <class E>
constexpr stored_as<E> stored_at(E*) {
    return {};
}
template <keeping How, class E>
constexpr accumulated<How, E> accumulated_at(E*) {
    return {};
}
/// Part number Item, found by overload resolution: recursion would take the square of their number.
template <std::size_t Item, class Part>
struct numbered_part {};
template <class Indices, class Parts>
struct numbered_parts;
template <std::size_t... Item, class... Part>
struct numbered_parts<std::index_sequence<Item...>, parts<Part...>> : numbered_part<Item, Part>... {};
template <std::size_t Item, class Part>
auto find_part(const numbered_part<Item, Part>&) -> std::type_identity<Part>;
template <std::size_t Item, class Parts>
struct part_at {
    using type = typename decltype(find_part<Item>(numbered_parts<std::make_index_sequence<Parts::count>, Parts>{}))::type;
};

template <class Part>
inline constexpr bool is_walking = false;
template <class E>
inline constexpr bool is_walking<walking<E>> = true;
template <class Part>
inline constexpr bool is_lasting = false;
template <class E>
inline constexpr bool is_lasting<lasting<E>> = true;
template <class Part>
inline constexpr bool is_stored = false;
template <class E>
inline constexpr bool is_stored<stored_as<E>> = true;
template <class Part>
inline constexpr keeping how_of = keeping::store;
template <keeping How, class E>
inline constexpr keeping how_of<accumulated<How, E>> = How;
template <class Part>
inline constexpr bool is_accumulated = false;
template <keeping How, class E>
inline constexpr bool is_accumulated<accumulated<How, E>> = true;
template <class Part>
inline constexpr std::size_t place_of = ~std::size_t{0};
template <std::size_t P>
inline constexpr std::size_t place_of<masking<P>> = P;
template <class E, std::size_t P>
inline constexpr std::size_t place_of<placed<E, P>> = P;
template <class Part>
inline constexpr bool is_placed = false;
template <class E, std::size_t P>
inline constexpr bool is_placed<placed<E, P>> = true;

/// The bytes of an element, or 0.
template <class Part>
inline constexpr std::size_t bytes_of = 0;
template <class E>
inline constexpr std::size_t bytes_of<walking<E>> = sizeof(E);
template <class E>
inline constexpr std::size_t bytes_of<stored_as<E>> = sizeof(E);

/// A block has this many threads.
inline constexpr unsigned block_threads = 256;

} // namespace dyad::device
