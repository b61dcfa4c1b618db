// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// From a flat array of results to what the user sees: gradients in the structure of the arguments, values in
// the structure of the function's result, matrices as nested arrays.
#pragma once

#include <dyad/api/call.hpp>

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// Hands out values one by one, each in the type of the leaf it is for: a float argument has a float gradient.
template <class V>
struct result_reader {
    const V* next;

    template <class Leaf>
    DYAD_FN DYAD_INLINE constexpr auto operator()() {
        const V value = *next++;
        if constexpr (real_number<Leaf> && number<V>) {
            return static_cast<Leaf>(value);
        } else {
            return value;
        }
    }
};

/// One argument's gradient on its own, several as a tuple.
template <class... S, std::size_t... Item, class V>
DYAD_FN DYAD_INLINE constexpr auto gradient_result(positions<Item...>, const V* values) {
    using arguments = std::tuple<S...>;
    result_reader<V> read{values};
    if constexpr (sizeof...(Item) == 1) {
        return (structure<std::tuple_element_t<Item, arguments>>::build(read), ...);
    } else {
        return structure<std::tuple<std::tuple_element_t<Item, arguments>...>>::build(read);
    }
}

/// The function's result `R`, leaf by leaf.
template <class R, class V>
DYAD_FN DYAD_INLINE constexpr auto value_result(const V* values) {
    result_reader<V> read{values};
    return structure<R>::build(read);
}

/// The arguments chosen for differentiation are one plain number.
template <class... S, std::size_t... Item>
constexpr bool one_plain_number(positions<Item...>) {
    using arguments = std::tuple<S...>;
    return sizeof...(Item) == 1 && (leaf_type<std::tuple_element_t<Item, arguments>> && ...);
}

/// Whether there are arguments at the positions; says why not.
template <std::size_t Count, std::size_t... Item>
constexpr bool has_arguments(positions<Item...>) {
    constexpr bool there = ((Item < Count) && ...);
    static_assert(there, DYAD_NO_POSITION);
    return there;
}
template <std::size_t Count>
constexpr bool has_arguments(only_position) {
    static_assert(Count == 1, "[dyad] derivative: it is that of a function of one argument; use grad<...> by one of several, or jacobian");
    return Count == 1;
}
template <class Wrt>
inline constexpr bool is_one_position = false;
template <std::size_t Item>
inline constexpr bool is_one_position<positions<Item>> = true;

template <class... S, std::size_t... Item>
constexpr std::size_t chosen_leaves(positions<Item...>) {
    using arguments = std::tuple<S...>;
    return (std::size_t{0} + ... + structure<std::tuple_element_t<Item, arguments>>::size);
}

/// `rows` by `columns`, without the dimension that a single plain number has not.
template <bool PlainRows, bool PlainColumns, std::size_t Rows, std::size_t Columns, class V>
DYAD_FN DYAD_INLINE constexpr auto matrix_result(const V* values) {
    if constexpr (PlainRows && PlainColumns) {
        return values[0];
    } else if constexpr (PlainRows || PlainColumns) {
        std::array<V, Rows * Columns> line;
        copy_numbers<Rows * Columns>(values, line.data());
        return line;
    } else {
        std::array<std::array<V, Columns>, Rows> matrix;
        DYAD_UNROLL_SMALL
        for (std::size_t i = 0; i < Rows; ++i) copy_numbers<Columns>(values + i * Columns, matrix[i].data());
        return matrix;
    }
}

} // namespace dyad
DYAD_BOTH_SIDES_END
