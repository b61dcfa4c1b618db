// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// xtensor's containers, views and expressions as arguments and results. The headers moved between xtensor 0.24
// and 0.26; this is the one place that knows.
#pragma once

#if __has_include(<xtensor/containers/xtensor.hpp>)
#include <xtensor/containers/xarray.hpp>
#include <xtensor/containers/xfixed.hpp>
#include <xtensor/containers/xtensor.hpp>
#include <xtensor/views/xstrided_view.hpp>
#include <xtensor/views/xview.hpp>
#else
#include <xtensor/xarray.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>
#endif

#include <string>

#include <dyad/array/reference.hpp>
#include <dyad/base/error.hpp>
#include <dyad/base/unpack.hpp>
#include <dyad/trace/expr.hpp>
#include <dyad/trace/structure.hpp>

/// To xtensor, whatever stands beside one of its expressions in an operation is a number. Dyad's expressions and traced
/// values are none, and have operators of their own.
template <class F, class... E>
    requires((dyad::eager<E> || dyad::traced_value<std::remove_cvref_t<E>>) || ...)
struct xt::detail::xfunction_type<F, E...> {};

namespace dyad {

/// An xtensor expression of numbers or conditions whose rank is known at compile time.
template <class X>
concept ranked_expression =
    xt::is_xexpression<X>::value && array_element<typename X::value_type> && requires { std::tuple_size<typename X::shape_type>::value; };

template <class X>
inline constexpr unsigned axes_of_expression = std::tuple_size<typename X::shape_type>::value;

/// Its elements lie in memory, with strides.
template <class X>
concept strided_expression = ranked_expression<X> && axes_of_expression<X> != 0 && xt::has_data_interface<X>::value && requires(const X& x) { x.strides(); };

template <class X>
constexpr unsigned ones_of() {
    unsigned ones = 0;
    if constexpr (requires { typename std::integral_constant<std::size_t, X::shape_type::size()>; }) {
        constexpr typename X::shape_type shape{};
        constexpr unsigned rank = shape.size();
        for (unsigned k = 0; k < rank; ++k) ones |= (shape[rank - 1 - k] == 1 ? 1U : 0U) << k;
    }
    return ones;
}

template <class X>
inline constexpr bool is_fixed = false;
template <class E, class Shape, xt::layout_type L, bool Sharable, class Tag>
inline constexpr bool is_fixed<xt::xfixed_container<E, Shape, L, Sharable, Tag>> = true;

template <strided_expression X>
struct array_traits<X> {
    using element = std::remove_const_t<typename X::value_type>;
    static constexpr unsigned rank = axes_of_expression<X>, ones = 0;
    static constexpr bool is_container = requires(X& x) { x.storage(); } && std::default_initializable<X> && !requires { typename X::xexpression_type; };
    static constexpr bool resizes = is_container && !is_fixed<X>;
    static constexpr bool owns = is_container;
    template <class E, class A>
    static auto as(A& x) {
        array_reference<E, rank> r{x.data() + x.data_offset(), {}, {}};
        for (unsigned k = 0; k < rank; ++k) {
            r.size[k] = static_cast<std::size_t>(x.shape()[rank - 1 - k]);
            r.stride[k] = static_cast<std::ptrdiff_t>(x.strides()[rank - 1 - k]);
            if (r.size[k] == 1) r.stride[k] = 0; // xtensor's way
        }
        return r;
    }
    static auto reference(const X& x) { return as<const element>(x); }
    static auto target(X& x) { return as<element>(x); }
    static void resize(X& x, const std::size_t* size)
        requires resizes
    {
        typename X::shape_type shape;
        for (unsigned k = 0; k < rank; ++k) shape[k] = size[rank - 1 - k];
        x.resize(shape);
    }
};

/// An expression that is not computed yet, such as x + 1: it is computed into a container for the call.
template <class X>
concept lazy_expression = ranked_expression<X> && axes_of_expression<X> != 0 && !strided_expression<X>;
/// One without axes, such as xt::mean(x): it is read as a number.
template <class X>
concept number_expression = ranked_expression<X> && axes_of_expression<X> == 0;

template <lazy_expression X>
struct array_traits<X> : array_traits<xt::xtensor<std::remove_const_t<typename X::value_type>, axes_of_expression<X>>> {
    using computed = xt::xtensor<std::remove_const_t<typename X::value_type>, axes_of_expression<X>>;
    static constexpr bool owns = false, resizes = false;
    static void reference(const X&) = delete; // of what would be gone: computed() comes first
};
template <number_expression X>
struct array_traits<X> {
    using element = std::remove_const_t<typename X::value_type>;
    using computed = element;
    static constexpr unsigned rank = 0, ones = 0;
    static constexpr bool owns = false, resizes = false;
    static void reference(const X&) = delete;
};
template <class X>
concept lazy_array = requires { typename array_traits<X>::computed; };

template <lazy_array X>
struct at_rest<X> {
    using type = typename array_traits<X>::computed;
    static type made(const X& x) {
        if constexpr (number_expression<X>) {
            return static_cast<type>(x());
        } else {
            return type(x);
        }
    }
};

/// Whether an argument is such an expression, or a tuple or pair that holds one.
template <class X>
inline constexpr bool holds_lazy = lazy_array<X>;
template <class... X>
inline constexpr bool holds_lazy<std::tuple<X...>> = (holds_lazy<X> || ...);
template <class X, class Y>
inline constexpr bool holds_lazy<std::pair<X, Y>> = holds_lazy<X> || holds_lazy<Y>;

/// x itself; what it computes, in a container, where it is an expression of xtensor's, which refers to what it is made of and is
/// computed with whatever it meets. On traced values it does nothing: a body for these says it of locals that plain arrays or those
/// of a tape have as well.
/// Example: `[](auto a) { auto u = dyad::computed(2 * a); return dyad::computed(u * u); }`
template <class X>
constexpr decltype(auto) computed(const X& x) {
    if constexpr (holds_lazy<X>) {
        return rested(x);
    } else {
        return (x);
    }
}

/// An array whose rank is known only at run time, such as xt::xarray or a view of one, as one of `Rank` axes; it is borrowed, and may be a
/// target if it is not const. What would be gone, a temporary container or `A + xt::eye<double>(2)`, becomes a container.
/// Example: `grad(f)(ranked<2>(x))`. Throws shape_error if x has another rank.
template <unsigned Rank, class X>
    requires(xt::is_xexpression<std::remove_cvref_t<X>>::value)
auto ranked(X&& x) {
    using expression = std::remove_cvref_t<X>;
    if (x.dimension() != Rank)
        throw shape_error("[dyad] ranked: the array has " + std::to_string(x.dimension()) + " axes, not " + std::to_string(Rank));
    constexpr bool stays = std::is_lvalue_reference_v<X> || !std::default_initializable<expression>; // a view is not made of nothing
    if constexpr (xt::has_data_interface<expression>::value && stays) {
        array_view<std::remove_pointer_t<decltype(x.data())>, Rank> v{x.data() + x.data_offset(), {}, {}};
        for (unsigned k = 0; k < Rank; ++k) v.size[k] = x.shape()[k], v.stride[k] = x.strides()[k];
        return v;
    } else {
        return xt::xtensor<std::remove_const_t<typename expression::value_type>, Rank>(x);
    }
}

/// What has no rank to trace with is no argument.
template <class X>
concept rankless_expression = xt::is_xexpression<X>::value && array_element<std::remove_const_t<typename X::value_type>> && !ranked_expression<X>;
template <rankless_expression X>
inline constexpr bool is_rankless<X> = true;
template <rankless_expression X>
struct structure<X> {
    using leaves = std::tuple<X>;
    static constexpr std::size_t size = 1;
    static constexpr bool refuse() {
        static_assert(never<X>, DYAD_NO_RANK);
        return false;
    }
};

/// The container of R axes that results come in, where an argument does not say otherwise.
template <class T, unsigned R>
struct default_container {
    using type = xt::xtensor<T, R>;
};

} // namespace dyad
