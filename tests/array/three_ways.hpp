// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// One function of arrays in three ways: traced, on expressions of variables, and on arrays at once. Values must agree, and
// so must the gradients of the first two with each other and with differences.
#pragma once

#include "differences.hpp"
#include "worse.hpp"

namespace three_ways {

using namespace differences;
using dyad_test::worse;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using cube = xt::xtensor<double, 3>;

using differences::apart;
template <class A, class B>
double apart(const A& a, const B& b)
    requires requires { std::tuple_size<A>::value; }
{
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return worse(0.0, apart(std::get<I>(a), std::get<I>(b))...);
    }(std::make_index_sequence<std::tuple_size_v<A>>{});
}

template <std::size_t I, class X>
auto named(const X& x) {
    if constexpr (I == 0) return dyad::var<"first", X>(x);
    if constexpr (I == 1) return dyad::var<"second", X>(x);
    if constexpr (I == 2) return dyad::var<"third", X>(x);
}
template <class T>
auto values(const T& x) {
    if constexpr (dyad::eager<T>) {
        return x.value();
    } else {
        return std::apply([](const auto&... part) { return std::tuple{part.value()...}; }, x);
    }
}

/// How far the three values are apart. Variables have the types of the arguments.
template <class R, class... X>
double values_apart(R r, const X&... x) {
    const auto traced = evaluated(r, x...);
    const auto plain = r(x...);
    const auto eager = [&]<std::size_t... I>(std::index_sequence<I...>) { return values(r(named<I>(x)...)); }(std::index_sequence_for<X...>{});
    return worse(apart(eager, traced), apart(plain, traced));
}
/// How far the gradients by the first argument of a weighted sum are apart: traced, of expressions, and differences.
template <class R, class X, class... Data>
double slopes_apart(R r, const X& x, const Data&... data) {
    const auto c = weights_for(evaluated(r, x, data...));
    const auto traced = dyad::grad<0>(weighted<R>{})(x, c, data...);
    const dyad::var<"x", X> v(x);
    const auto [eager] = dyad::gradient(dyad::sum(c * r(2 * v, data...)), v);
    const auto value = [&](const auto& a) {
        const auto w = c * r(X(2 * a), data...);
        if constexpr (std::floating_point<std::remove_cvref_t<decltype(w)>>) {
            return w;
        } else {
            return xt::sum(w)();
        }
    };
    return worse(apart(eager, traced), 1e-4 * apart(gradient(value, x), traced));
}
template <class R, class X, class... Data>
double off(R r, const X& x, const Data&... data) {
    return worse(values_apart(r, x, data...), slopes_apart(r, x, data...));
}

} // namespace three_ways
