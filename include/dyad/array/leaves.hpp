// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The leaves of arguments that hold arrays: as a flat tuple of references and numbers, and the number type that they
// compute in together.
#pragma once

#include <dyad/array/reference.hpp>
#include <dyad/base/unpack.hpp>
#include <dyad/trace/structure.hpp>

namespace dyad {

/// The leaves of an argument, in order: an array_reference for each array, a T for each number.
template <class T, class X>
auto flat_leaves(const X& x) {
    if constexpr (array_like<X>) {
        return std::tuple{array_traits<X>::reference(x)};
    } else if constexpr (leaf_type<X>) {
        return std::tuple<T>{static_cast<T>(x)};
    } else if constexpr (requires { std::tuple_size<X>::value; }) {
        return unpack([](const auto&... part) { return std::tuple_cat(flat_leaves<T>(part)...); }, x);
    } else {
        return unpack([](const auto&... part) { return std::tuple_cat(flat_leaves<T>(part)...); }, members(x));
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

} // namespace dyad
