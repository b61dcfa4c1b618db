// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What the transforms of functions of arrays share, wherever these lie: what has to hold before there is a program, and
// results in the structure that the function gives them.
#pragma once

#include <dyad/api/products.hpp>
#include <dyad/array/convolution.hpp>
#include <dyad/array/leaves.hpp>
#include <dyad/array/program.hpp>
#include <dyad/array/variance.hpp>

namespace dyad {

/// Gives out results of one type, one by one, as the leaves of an aggregate.
template <class Result>
struct moved_leaves {
    Result* const* at;
    std::size_t next = 0;

    template <class Leaf>
    Result operator()() {
        return std::move(*at[next++]);
    }
};
/// The members of an aggregate of several types, and the same aggregate of others: parameter k is the type of member k.
template <class R>
struct members_of;
template <template <class...> class R, class... T>
struct members_of<R<T...>> {
    template <class... Member>
    static auto values(std::tuple<Member&...>) -> std::tuple<std::remove_const_t<Member>...>;
    using type = decltype(values(members(std::declval<R<T...>&>())));

    template <class... Part>
    static auto assembled(std::tuple<Part...>& parts) {
        constexpr bool fits = sizeof...(Part) == sizeof...(T) && requires(Part... part) { R<Part...>{std::move(part)...}; };
        static_assert(fits, "[dyad] result: an aggregate of arrays of several kinds has one parameter for each member, in order; return a tuple");
        if constexpr (fits) return unpack([](Part&... part) { return R<Part...>{std::move(part)...}; }, parts);
    }
};

template <class R, std::size_t First, class Flat>
auto restored(Flat& flat);
template <class R, std::size_t First, class Flat, std::size_t... Item>
auto restored_aggregate(Flat& flat, std::index_sequence<Item...>) {
    using leaf = std::tuple_element_t<First, Flat>;
    if constexpr ((std::same_as<leaf, std::tuple_element_t<First + Item, Flat>> && ...)) {
        leaf* const leaves[] = {&std::get<First + Item>(flat)...};
        moved_leaves<leaf> next{leaves};
        return structure<R>::build(next);
    } else {
        auto parts = restored<typename members_of<R>::type, First>(flat);
        return members_of<R>::assembled(parts);
    }
}
/// The structure R with flat results, from number `First` on.
template <class R, std::size_t First, class Flat>
auto restored(Flat& flat) {
    if constexpr (leaf_type<R>) {
        return std::move(std::get<First>(flat));
    } else if constexpr (!requires { std::tuple_size<R>::value; }) { // an aggregate
        return restored_aggregate<R, First>(flat, std::make_index_sequence<structure<R>::size>{});
    } else {
        return []<std::size_t... Item>(Flat& f, std::index_sequence<Item...>) {
            constexpr auto before = [](std::size_t i) {
                const std::size_t sizes[] = {structure<std::tuple_element_t<Item, R>>::size...};
                std::size_t sum = First;
                for (std::size_t k = 0; k < i; ++k) sum += sizes[k];
                return sum;
            };
            if constexpr (is_tuple<R>) {
                return std::tuple{restored<std::tuple_element_t<Item, R>, before(Item)>(f)...};
            } else if constexpr (requires(R& r) { r.first; }) {
                return std::pair{restored<std::tuple_element_t<Item, R>, before(Item)>(f)...};
            } else {
                return std::array{restored<std::tuple_element_t<Item, R>, before(Item)>(f)...};
            }
        }(flat, std::make_index_sequence<std::tuple_size_v<R>>{});
    }
}

/// Of transform `K` of `F`.
template <transform K, class F>
struct array_checks {
    /// What a refused call gives: something like its result, so that one mistake gives one message.
    template <std::size_t... Item, class First, class... S>
    static auto stand_in(positions<Item...>, const First& first, const S&... s) {
        using gradient = std::conditional_t<sizeof...(Item) == 1, First, std::tuple<First, S...>>;
        if constexpr (is(K, transform::value_and_gradient) || is(K, transform::jvp) || is(K, transform::vjp)) {
            return std::pair<double, gradient>(0, stand_in_for<gradient>(first, s...));
        } else {
            return stand_in_for<gradient>(first, s...);
        }
    }
    template <class Gradient, class First, class... S>
    static Gradient stand_in_for(const First& first, const S&... s) {
        if constexpr (std::is_same_v<Gradient, First>) {
            return first;
        } else {
            return {first, s...};
        }
    }
    /// What has to hold before there is a program of a function without captured values, each with its own sentence.
    template <class... S, std::size_t... Item>
    static constexpr bool ready(positions<Item...>) {
        if constexpr ((refused_argument<S> || ...)) {
            return (taken<S>() && ...);
        } else if constexpr ((eager<S> || ...)) {
            return refuse_expressions<F>();
        } else if constexpr (plain_numbers<S...>()) {
            constexpr bool callable = requires(const F& f, traced<S>&... s) { f(s...); };
            if constexpr (!callable) refuse_call<F, S...>();
            constexpr bool there = ((Item < sizeof...(S)) && ...);
            static_assert(there, DYAD_NO_POSITION);
            constexpr bool returns = !gives<void, S...>();
            static_assert(returns, DYAD_NO_RESULT);
            if constexpr (callable && there && returns && !gives<refused_result, S...>()) {
#if defined(DYAD_SHOW_TRACE)
                return derivable<traced_gives_one_number<S...>, S...>(positions<Item...>{});
#else
                if constexpr (without_fault<decltype(fault_of_trace<F, kind_of<S>...>(0))::value>()) {
                    if constexpr (derivable<traced_gives_one_number<S...>, S...>(positions<Item...>{})) return keeps_slopes<S...>(positions<Item...>{});
                }
#endif
            }
        }
        return false;
    }
    template <class R, class... S>
    static constexpr bool gives() {
        if constexpr (requires(const F& f, traced<S>&... s) { f(s...); }) {
            return std::same_as<traced_result<F, S...>, R>;
        } else {
            return false;
        }
    }
    template <class... S>
    struct traced_gives_one_number {
        constexpr bool operator()() const {
            constexpr graph_view g = traced_arrays<F, policy_of<F>(), kind_of<S>...>::graph.view();
            return g.output_count == 1 && g[g.outputs[0]].rank == 0;
        }
    };
    /// `GivesOneNumber{}()` says whether the function's result is a number.
    template <class GivesOneNumber, class... S, std::size_t... Item>
    static constexpr bool derivable(positions<Item...>) {
        if constexpr (!is(K, transform::value)) {
            constexpr bool reals = (all_elements_real<std::tuple_element_t<Item, std::tuple<S...>>>() && ...);
            static_assert(reals, "[dyad] transform: a derivative with respect to integers does not exist; pass an array of doubles, or choose other arguments with grad<...>");
            if constexpr (reals && (is(K, transform::gradient) || is(K, transform::value_and_gradient) || is(K, transform::hessian) || is(K, transform::hvp))) {
                constexpr bool one_number = GivesOneNumber{}();
                static_assert(one_number, "[dyad] grad: the function must return one number; reduce it with sum or mean, or use jacobian, jvp or vjp");
                return one_number;
            }
            return reals;
        } else {
            return true;
        }
    }
    template <class... S, std::size_t... Item>
    static constexpr bool keeps_slopes(positions<Item...>) {
        constexpr bool keeps = is(K, transform::value) || !captures_input(traced_arrays<F, policy_of<F>(), kind_of<S>...>::graph, inputs_at<S...>(positions<Item...>{}));
        static_assert(keeps, DYAD_SLOPE_LOST);
        return keeps;
    }
    template <class S>
    static constexpr bool all_elements_real() {
        return []<class... Leaves>(std::type_identity<std::tuple<Leaves...>>) {
            return (std::floating_point<typename leaf_number<Leaves>::type> && ...);
        }(std::type_identity<typename structure<S>::leaves>{});
    }
};

} // namespace dyad
