// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Arrays on the tape: `tape.variable(w)` of an xtensor container is a container of recorded numbers of its shape, whose
// elements can be used one by one, or all together in functions of arrays, `dyad::sum(w)`, and in compiled ones: `tape.apply(loss, w, X, t)`. Gradients are
// containers again. (Included by array.hpp and tape.hpp, whichever comes second.)
#pragma once

#include <dyad/api/array_call.hpp>
#include <dyad/api/tape_call.hpp>

namespace dyad {

/// A container of xtensor's that holds its elements.
template <class X>
concept tensor_container = requires(X& x) {
    x.storage();
    x.shape();
    x.strides();
    std::tuple_size<typename X::shape_type>::value;
};

template <tensor_container X>
    requires(!is_leaf_tree<X>)
struct tree<X> {
    using element = std::remove_const_t<typename X::value_type>;
    static constexpr std::size_t rank = std::tuple_size<typename X::shape_type>::value;

    template <class F>
    static void visit(const X& x, F&& f) {
        for (const element& e : x) tree<element>::visit(e, f);
    }
    template <class F>
    static auto map(const X& x, F&& f) {
        using mapped = decltype(tree<element>::map(*x.begin(), f));
        typename default_container<mapped, rank>::type result;
        std::array<std::size_t, rank> shape{};
        for (std::size_t k = 0; k < rank; ++k) shape[k] = static_cast<std::size_t>(x.shape()[k]);
        result.resize(shape);
        auto to = result.begin();
        for (const element& e : x) *to++ = tree<element>::map(e, f);
        return result;
    }
};
template <tensor_container X>
    requires(!is_leaf_tree<X>)
struct tree_number<X> : tree_number<std::remove_const_t<typename X::value_type>> {};
template <tensor_container X>
    requires(!is_leaf_tree<X>)
struct tree_leaf<X> : tree_leaf<std::remove_const_t<typename X::value_type>> {};
template <tensor_container X>
    requires(!is_leaf_tree<X>)
inline constexpr std::size_t tree_size<X> = any_size;

} // namespace dyad
