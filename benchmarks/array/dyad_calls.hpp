// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// How the benchmarks call dyad.
#pragma once

#include <dyad/array.hpp>

#include <tuple>
#include <utility>

namespace bench {

/// result = f(arguments...), in memory that result has.
template <class F, class R, class... S>
void value_into(R& result, const F& f, const S&... arguments) {
    dyad::evaluate_into(result, f, arguments...);
}

/// results = value and gradient by the arguments I (all, if none is named), in memory that they have.
template <std::size_t... I, class F, class... R, class... S>
void gradient_into(std::tuple<R&...> results, const F& f, const S&... arguments) {
    dyad::evaluate_into(results, dyad::value_and_grad<I...>(f), arguments...);
}

/// The same by the public call, which allocates its results.
template <std::size_t... I, class F, class... R, class... S>
void gradient_returned(std::tuple<double&, R&...> results, const F& f, const S&... arguments) {
    auto [value, gradient] = dyad::value_and_grad<I...>(f)(arguments...);
    std::get<0>(results) = value;
    if constexpr (sizeof...(R) == 1) {
        std::get<1>(results) = std::move(gradient);
    } else {
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            ((std::get<K + 1>(results) = std::move(std::get<K>(gradient))), ...);
        }(std::index_sequence_for<R...>{});
    }
}

/// What a problem P that is a function of arrays has in common with the others: `function`, arguments() and results(), a
/// tuple of references each.
template <class P>
struct value_problem {
    void by_dyad() {
        P& p = static_cast<P&>(*this);
        std::apply([&](const auto&... x) { value_into(std::get<0>(p.results()), P::function, x...); }, p.arguments());
    }
};
/// The same with a gradient by the arguments I: results() are the value and the derivatives.
template <class P, std::size_t... I>
struct gradient_problem {
    void by_dyad() {
        P& p = static_cast<P&>(*this);
        std::apply([&](const auto&... x) { gradient_into<I...>(p.results(), P::function, x...); }, p.arguments());
    }
    void by_dyad_returned() {
        P& p = static_cast<P&>(*this);
        std::apply([&](const auto&... x) { gradient_returned<I...>(p.results(), P::function, x...); }, p.arguments());
    }
};

} // namespace bench
