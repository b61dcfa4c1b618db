// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// How the benchmarks call dyad: the one place to change when the library has evaluate_into.
#pragma once

#include <dyad/array.hpp>

#include <tuple>
#include <utility>

namespace bench {

template <dyad::transform K, class Wrt, class F, class... S>
using program_of =
    typename dyad::array_backend<K, Wrt, F>::template program<dyad::kind_of<S>...>;

/// result = f(arguments...), in memory that result has.
template <class F, class R, class... S>
void value_into(R& result, const F&, const S&... arguments) {
    using program = program_of<dyad::transform::value, dyad::positions<>, F, S...>;
    dyad::execute_into<program, double>(std::tuple_cat(dyad::flat_leaves<double>(arguments)...),
                                        std::tie(result));
}

/// results = value and gradient by the arguments I (all, if none is named), in memory that they have.
template <std::size_t... I, class F, class... R, class... S>
void gradient_into(std::tuple<R&...> results, const F&, const S&... arguments) {
    using program = program_of<dyad::transform::value_and_gradient, dyad::positions<I...>, F, S...>;
    dyad::execute_into<program, double>(std::tuple_cat(dyad::flat_leaves<double>(arguments)...),
                                        results);
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

} // namespace bench
