// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// std::apply for what can be called by name: without the machinery for pointers to members and for noexcept, which costs a
// compiler a dozen templates a call, and a reader of its messages as many lines.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

namespace dyad {

template <class F, class Tuple, std::size_t... Item>
constexpr decltype(auto) unpack(F&& f, Tuple&& t, std::index_sequence<Item...>) {
    return std::forward<F>(f)(std::get<Item>(std::forward<Tuple>(t))...);
}
/// f(get<0>(t), get<1>(t), ...)
template <class F, class Tuple>
constexpr decltype(auto) unpack(F&& f, Tuple&& t) {
    return unpack(std::forward<F>(f), std::forward<Tuple>(t), std::make_index_sequence<std::tuple_size_v<std::remove_reference_t<Tuple>>>{});
}

} // namespace dyad
