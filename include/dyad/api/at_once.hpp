// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Transforms that are given a function and its arguments at once, as other libraries take them, or an expression in place of a
// function: refused, by a sentence that says how they are written here.
#pragma once

#include <cstddef>

#include <dyad/op/operators.hpp>
#include <dyad/trace/leaves.hpp>

namespace dyad {

/// Takes whatever stands in a refused call, by a conversion: a function of the user's own, of the same name, is always nearer.
struct anything {
    template <class X>
    constexpr explicit(false) anything(const X&) {}
};
/// What a refused call gives: it converts, is called and taken apart as the right one's result, so that one mistake gives one message.
struct refused_value : refused_result {
    template <class T>
    explicit(false) operator T() const; // (never called)
    template <class... X>
    constexpr refused_value operator()(const X&...) const {
        return {};
    }
    [[nodiscard]] constexpr refused_value value() const { return {}; }
};
struct refused_transform : refused_value {
    refused_value first, second;
    template <class... X>
    constexpr refused_transform operator()(const X&...) const {
        return {};
    }
};

template <auto...>
inline constexpr bool refused_form = false;

#define DYAD_OTHERS "; of expressions there are diff(y, x) and gradient(y, x...), on a tape t.gradient(y, x)"
#define DYAD_REFUSED_FORM(name, sentence)                                                            \
    template <auto... Item>                                                                          \
    constexpr auto name(anything, anything, anything = 0, anything = 0, anything = 0, anything = 0) { \
        static_assert(refused_form<Item...>, "[dyad] " #name ": it takes a function alone and returns one: " sentence); \
        return refused_transform();                                                                  \
    }
DYAD_REFUSED_FORM(grad, "grad(f)(x...), by some arguments grad<0>(f)(x...)" DYAD_OTHERS)
DYAD_REFUSED_FORM(value_and_grad, "value_and_grad(f)(x...), by some arguments value_and_grad<0>(f)(x...)" DYAD_OTHERS)
DYAD_REFUSED_FORM(jacobian, "jacobian(f)(x...), by some arguments jacobian<0>(f)(x...)" DYAD_OTHERS)
DYAD_REFUSED_FORM(hessian, "hessian(f)(x...), by some arguments hessian<0>(f)(x...)" DYAD_OTHERS)
DYAD_REFUSED_FORM(derivative, "derivative(f)(x), of order 2 derivative<2>(f)(x)" DYAD_OTHERS)
DYAD_REFUSED_FORM(jvp, "jvp(f)(primals, tangents)" DYAD_OTHERS)
DYAD_REFUSED_FORM(vjp, "auto [value, pullback] = vjp(f)(x...)" DYAD_OTHERS)
DYAD_REFUSED_FORM(hvp, "hvp(f)(primals, tangents)" DYAD_OTHERS)
DYAD_REFUSED_FORM(checkpoint, "checkpoint(f)(x...)")
DYAD_REFUSED_FORM(vmap, "vmap(f)(x...)")
// (tape_transform.hpp uses it for its own.)

// (The parameters are those of the transform, so that what is constrained goes first.)
#define DYAD_REFUSED_EXPRESSION(name, parameters)                                                    \
    template <parameters, eager E>                                                                   \
    constexpr auto name(E) {                                                                         \
        static_assert(!eager<E>, "[dyad] " #name ": it takes a function, not an expression" DYAD_OTHERS); \
        return refused_transform();                                                                  \
    }
DYAD_REFUSED_EXPRESSION(grad, std::size_t... Item)
DYAD_REFUSED_EXPRESSION(value_and_grad, std::size_t... Item)
DYAD_REFUSED_EXPRESSION(jacobian, std::size_t... Item)
DYAD_REFUSED_EXPRESSION(hessian, std::size_t... Item)
DYAD_REFUSED_EXPRESSION(derivative, int N = 1)
DYAD_REFUSED_EXPRESSION(jvp, std::size_t... Item)
DYAD_REFUSED_EXPRESSION(vjp, std::size_t... Item)
DYAD_REFUSED_EXPRESSION(hvp, std::size_t... Item)
#undef DYAD_REFUSED_EXPRESSION
#undef DYAD_OTHERS

} // namespace dyad
