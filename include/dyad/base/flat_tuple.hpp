// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// std::tuple's job for the leaves of expressions, which every operator makes anew: its elements are base classes side by side,
// so that it is trivially copyable where they are, and costs a compiler a tenth of the templates.
#pragma once

#include <cstddef>
#include <utility>

namespace dyad {

template <std::size_t Item, class T>
struct tuple_place {
    T element;
};
template <class Places, class... T>
struct tuple_places;
template <std::size_t... Item, class... T>
struct tuple_places<std::index_sequence<Item...>, T...> : tuple_place<Item, T>... {};

/// Values of the types `T...`, which may be references, in this order.
template <class... T>
struct flat_tuple : tuple_places<std::index_sequence_for<T...>, T...> {
    static constexpr std::size_t size = sizeof...(T);
    constexpr explicit flat_tuple(const T&... elements) : flat_tuple::tuple_places{{elements}...} {}
};

/// Element `Item`.
template <std::size_t Item, class T>
constexpr const T& flat_get(const tuple_place<Item, T>& place) {
    return place.element;
}
template <std::size_t Item, class T>
T type_at(const tuple_place<Item, T>&);
/// The type of element `Item` of a flat tuple.
template <std::size_t Item, class Tuple>
using flat_element = decltype(type_at<Item>(std::declval<const Tuple&>()));

/// f(flat_get<0>(t), flat_get<1>(t), ...)
template <class F, class... T>
constexpr decltype(auto) unpack(F&& f, const flat_tuple<T...>& t) {
    return [&]<std::size_t... Item>(std::index_sequence<Item...>) -> decltype(auto) {
        return std::forward<F>(f)(flat_get<Item>(t)...);
    }(std::index_sequence_for<T...>{});
}

} // namespace dyad
