// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The leaves of arguments that hold arrays: as a flat tuple of references and numbers, and the number type that they
// compute in together.
#pragma once

#include <dyad/array/reference.hpp>
#include <dyad/base/unpack.hpp>
#include <dyad/trace/expr.hpp>
#include <dyad/trace/structure.hpp>

namespace dyad {

template <class T, class X>
auto flat_leaf(const X& x) {
    if constexpr (array_like<X>) {
        return array_traits<X>::reference(x);
    } else {
        return static_cast<T>(x);
    }
}
/// The leaves of arguments, in order: an array_reference for each array, a T for each number. (Leaves alone, and one structure, take
/// no std::tuple_cat, which costs a compiler a dozen functions a call.)
template <class T, class... X>
auto flat_leaves(const X&... x) {
    const auto of_parts = [](const auto&... part) { return flat_leaves<T>(part...); };
    if constexpr (((array_like<X> || leaf_type<X>) && ...)) {
        return std::tuple<decltype(flat_leaf<T>(x))...>(flat_leaf<T>(x)...);
    } else if constexpr (sizeof...(X) > 1) {
        return std::tuple_cat(flat_leaves<T>(x)...);
    } else if constexpr ((requires { std::tuple_size<X>::value; } && ...)) {
        return (unpack(of_parts, x), ...);
    } else {
        return (unpack(of_parts, members(x)), ...);
    }
}
/// Those of arguments and of what travels along, if there is such.
template <class T, class D, class... X>
auto flat_leaves_and(const D& directions, const X&... x) {
    if constexpr (std::is_same_v<D, std::tuple<>>) {
        return flat_leaves<T>(x...);
    } else {
        return flat_leaves<T>(x..., directions);
    }
}

/// The number type that a program computes in: the widest floating-point type among the leaves, or double.
template <class Leaf>
struct leaf_number {
    static constexpr auto pick() {
        if constexpr (array_like<Leaf>) {
            return std::type_identity<typename array_traits<Leaf>::element>{};
        } else {
            return std::type_identity<Leaf>{};
        }
    }
    using stored = typename decltype(pick())::type;
    using type = std::conditional_t<std::same_as<stored, bool>, int, stored>; // a condition counts as 1 or 0
};
template <class... Leaves>
auto computing_number(std::type_identity<std::tuple<Leaves...>>) -> common_real<typename leaf_number<Leaves>::type..., int>;
template <class... S>
using computing_type = typename decltype(computing_number(std::type_identity<leaf_types<S...>>{}))::type;

/// Whether leaves are numbers that a tape records: programs of arrays compute with plain ones.
template <class... Leaves>
constexpr bool any_recorded(std::type_identity<std::tuple<Leaves...>>) {
    return ((symbolic<Leaves> && !eager<Leaves> && !std::same_as<Leaves, tracer>) || ...);
}
/// Whether no argument is such a number; says so if one is.
template <class... S>
constexpr bool plain_numbers() {
    constexpr bool recorded = any_recorded(std::type_identity<leaf_types<S...>>{});
    static_assert(!recorded, "[dyad] transform, kernel: an argument is recorded by a tape, others are arrays; tape.apply(f, X, x) records what a "
                             "function computes of both, tape.apply(dyad::grad(f), X, x) what a transform does");
    return !recorded;
}

} // namespace dyad
