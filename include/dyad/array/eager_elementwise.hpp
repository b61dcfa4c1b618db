// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The core's functions with arrays among their operands, element by element: beside expressions, which keep copies, they
// make expressions; alone, or beside numbers, values: exp(x), pow(x, 2), where(w > 0, x, 0).
#pragma once

#include <dyad/array/eager_call.hpp>
#include <dyad/op/functions.hpp>

namespace dyad {

template <class... X>
concept elementwise_call = (array_like<X> || ...) && ((array_like<X> || eager<X> || number<X>) && ...);

template <bool Borrows, class X>
auto as_element(const X& x) {
    if constexpr (array_like<X>) {
        return array_slot<Borrows>(x);
    } else {
        return x;
    }
}
template <class Function, class... X>
auto call_elementwise(const X&... x) {
    if constexpr (!lie_on_host<X...>()) {
        return refused_result{};
    } else if constexpr ((eager<X> || ...)) {
        return Function{}(as_element<false>(x)...);
    } else {
        return [](const auto&... array) { return Function{}(as_element<true>(array)...).value(); }(computed(x)...);
    }
}

/// Their names.
#define DYAD_ELEMENTWISE_FUNCTIONS(F)                                                                \
    DYAD_UNARY_OPERATIONS(F)                                                                         \
    DYAD_BINARY_OPERATIONS(F)                                                                        \
    DYAD_TERNARY_OPERATIONS(F)                                                                       \
    F(where)                                                                                         \
    F(fabs)                                                                                          \
    F(fdim)                                                                                          \
    F(square)                                                                                        \
    F(cube)                                                                                          \
    F(sinc)

#define DYAD_ELEMENTWISE(name)                                                                       \
    struct name##_of_elements {                                                                      \
        template <class... X>                                                                        \
        constexpr auto operator()(const X&... x) const {                                             \
            return name(x...);                                                                       \
        }                                                                                            \
    };                                                                                               \
    template <class... X>                                                                            \
        requires elementwise_call<X...>                                                              \
    auto name(const X&... x) {                                                                       \
        return call_elementwise<name##_of_elements>(x...);                                           \
    }                                                                                                \
    template <class... X>                                                                            \
        requires array_beside_traced<X...>                                                           \
    constexpr tracer name(const X&... x) {                                                           \
        return refused(array_fault::plain_array, traced_among(x...));                                \
    }
DYAD_ELEMENTWISE_FUNCTIONS(DYAD_ELEMENTWISE)
#undef DYAD_ELEMENTWISE

/// Operators of an expression and an array whose rank is not known.
#define DYAD_REFUSED_RANK(symbol)                                                                    \
    template <class A, class B>                                                                      \
        requires((eager<A> && is_rankless<B>) || (is_rankless<A> && eager<B>))                       \
    refused_result operator symbol(const A&, const B&) {                                             \
        static_assert(never<A, B>, DYAD_NO_RANK);                                                    \
        return {};                                                                                   \
    }
DYAD_REFUSED_RANK(+)
DYAD_REFUSED_RANK(-)
DYAD_REFUSED_RANK(*)
DYAD_REFUSED_RANK(/)
DYAD_REFUSED_RANK(<)
DYAD_REFUSED_RANK(>)
DYAD_REFUSED_RANK(<=)
DYAD_REFUSED_RANK(>=)
#undef DYAD_REFUSED_RANK

} // namespace dyad
