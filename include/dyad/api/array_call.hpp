// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Transforms of functions of arrays on the host: the same calls as for numbers, with arrays among the arguments.
#pragma once

#include <dyad/api/array_captured.hpp>
#include <dyad/api/array_transform.hpp>
#include <dyad/array/values.hpp>

namespace dyad {

template <transform K, class Wrt, class F>
struct captured_checks;

/// Arrays of the host: results are containers, functions may have captured values.
struct on_host {
    template <transform K, class Wrt, class F>
    using checks = typename std::conditional_t<stateless<F>, std::type_identity<array_checks<K, F>>, std::type_identity<captured_checks<K, Wrt, F>>>::type;
    template <class T, unsigned Rank>
    using output = typename output_type<T, Rank>::type;
    /// The type of what belongs to a leaf of an argument.
    template <class Leaf>
    static constexpr auto result_for() {
        if constexpr (array_like<Leaf>) {
            return std::type_identity<typename result_container<Leaf>::type>{};
        } else {
            return std::type_identity<std::conditional_t<std::floating_point<Leaf>, Leaf, double>>{};
        }
    }
    template <class F, class... S>
    static auto pick_result() {
        if constexpr (stateless<F>) {
            return std::type_identity<traced_result<F, S...>>{};
        } else if constexpr (std::same_as<typename peeled_arrays<F>::template program<F, S...>, F>) {
            return std::type_identity<captured_result<F, S...>>{};
        } else {
            return std::type_identity<decltype(std::declval<const F&>()(std::declval<const S&>()...))>{};
        }
    }
    template <class F, class... S>
    using result_structure = typename decltype(pick_result<F, S...>())::type;

    /// Whether some argument is an expression of a container library, which is computed first.
    template <class... S>
    static constexpr bool waits_for() {
        return (holds_lazy<S> || ...);
    }
    template <class S>
    static decltype(auto) computed(const S& s) {
        return dyad::computed(s);
    }
    template <class S>
    static auto owned(const S& s) {
        return dyad::owned(s);
    }
    template <class Program, class T, bool Keep, class... X>
    static void execute_into(const X&... x) {
        dyad::execute_into<Program, T, Keep>(x...);
    }
    template <class Transform, class F, class D, class Use, class... S>
    static auto with_program(const char*, const F& f, const D& directions, const Use& use, const S&... s) {
        if constexpr (stateless<F>) {
            using T = computing_type<S..., D>;
            return use.template operator()<typename Transform::template program<kind_of<S>...>, T>(flat_leaves_and<T>(directions, s...));
        } else {
            return with_captured(f, [&]<class Source, class Leaves>(const Leaves& leaves) {
                using T = typename captured_number<Leaves, D>::type;
                using function = typename peeled_arrays<F>::template program<Source, kind_of<S>...>;
                using compiled = program_of_arrays<derived_captured<function, Transform::which, typename Transform::chosen, kind_of<S>...>, default_policy>;
                return use.template operator()<compiled, T>(std::tuple_cat(flat_values<T>(leaves), flat_leaves<T>(directions)));
            }, s...);
        }
    }
};

template <transform K, class Wrt, class F>
struct array_backend : array_transform<on_host, K, Wrt, F> {};

/// The checks of a function with captured values.
template <transform K, class Wrt, class F>
struct captured_checks {
    template <class... S, std::size_t... Item>
    static constexpr bool ready(positions<Item...> p) {
        if constexpr ((refused_argument<S> || ...)) {
            return (taken<S>() && ...);
        } else if constexpr (captured_ready<F, S...>()) {
            return array_checks<K, F>::template derivable<gives_one_number<S...>, S...>(p);
        } else {
            return false;
        }
    }
    template <class... S>
    struct gives_one_number {
        constexpr bool operator()() const {
            using result = on_host::result_structure<F, S...>;
            if constexpr (eager<result>) {
                return rank_of_expression<std::remove_cvref_t<decltype(to_expression(std::declval<const result&>()))>> == 0;
            } else {
                return number<result>;
            }
        }
    };
};

} // namespace dyad
