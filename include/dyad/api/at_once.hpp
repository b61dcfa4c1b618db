// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Transforms that are given a function and its arguments at once, as other libraries take them: refused, by a sentence that says
// how they are written here.
#pragma once

#include <type_traits>
#include <utility>

#include <dyad/api/custom_gradient.hpp>
#include <dyad/api/products.hpp>
#include <dyad/api/scan.hpp>
#include <dyad/api/transform.hpp>
#include <dyad/api/vjp.hpp>

namespace dyad {

/// A function object, or an expression in its place; no container that a function of the user's own takes, of the same name.
template <class F>
concept function_or_expression = eager<F> || (std::is_class_v<F> && !requires { typename F::value_type; });

/// What the right call would have returned, so that one mistake gives one message.
template <class Transformed, class F, class... X>
constexpr auto as_if_called(const Transformed& transformed, const F& f, const X&... x) {
    if constexpr (eager<F>) {
        return f;
    } else if constexpr ((std::is_integral_v<X> && ...)) { // (positions, as in grad(f, 0))
        return transformed;
    } else {
        return transformed(x...);
    }
}

#define DYAD_AT_ONCE(parameters, name, transform, call)                                              \
    template <parameters function_or_expression F, class X, class... More>                           \
    constexpr auto name(F f, const X& x, const More&... more) {                                      \
        static_assert(never<F>, "[dyad] " #name ": it takes a function alone and returns one: " call); \
        return as_if_called(dyad::transform(f), f, x, more...);                                      \
    }
#define DYAD_POSITIONS std::size_t... Item,
#define DYAD_ORDER int N = 1,
#define DYAD_BY_OTHERS "; of expressions there are diff(y, x) and gradient(y, x...), on a tape t.gradient(y, x)"
DYAD_AT_ONCE(DYAD_POSITIONS, grad, grad<Item...>, "grad(f)(x...), by some arguments grad<0>(f)(x...)" DYAD_BY_OTHERS)
DYAD_AT_ONCE(DYAD_POSITIONS, value_and_grad, value_and_grad<Item...>, "value_and_grad(f)(x...), by some arguments value_and_grad<0>(f)(x...)" DYAD_BY_OTHERS)
DYAD_AT_ONCE(DYAD_POSITIONS, jacobian, jacobian<Item...>, "jacobian(f)(x...), by some arguments jacobian<0>(f)(x...)" DYAD_BY_OTHERS)
DYAD_AT_ONCE(DYAD_POSITIONS, hessian, hessian<Item...>, "hessian(f)(x...), by some arguments hessian<0>(f)(x...)" DYAD_BY_OTHERS)
DYAD_AT_ONCE(DYAD_ORDER, derivative, derivative<N>, "derivative(f)(x), of order 2 derivative<2>(f)(x)" DYAD_BY_OTHERS)
DYAD_AT_ONCE(DYAD_POSITIONS, jvp, jvp<Item...>, "jvp(f)(primals, tangents)")
DYAD_AT_ONCE(DYAD_POSITIONS, vjp, vjp<Item...>, "auto [value, pullback] = vjp(f)(x...)")
DYAD_AT_ONCE(DYAD_POSITIONS, hvp, hvp<Item...>, "hvp(f)(primals, tangents)")
DYAD_AT_ONCE(, checkpoint, checkpoint, "checkpoint(f)(x...)")
DYAD_AT_ONCE(, vmap, vmap, "vmap(f)(x...)")
#undef DYAD_BY_OTHERS
#undef DYAD_ORDER
#undef DYAD_POSITIONS
#undef DYAD_AT_ONCE

} // namespace dyad
