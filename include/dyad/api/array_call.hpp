// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Transforms of functions of arrays: the same calls as for numbers, with arrays among the arguments.
#pragma once

#include <dyad/api/array_captured.hpp>
#include <dyad/api/array_checks.hpp>
#include <dyad/api/products.hpp>
#include <dyad/array/convolution.hpp>
#include <dyad/array/values.hpp>
#include <dyad/array/variance.hpp>

namespace dyad {

/// Puts results, in the order of the leaves, into the structure S with other leaves: `Pick<Leaf>` is the type of each.
struct result_taker {
    void** next;
    template <class Leaf>
    auto operator()() {
        using type = typename decltype(type_for<Leaf>())::type;
        return std::move(*static_cast<type*>(*next++));
    }
    template <class Leaf>
    static constexpr auto type_for() {
        if constexpr (array_like<Leaf>) {
            return std::type_identity<typename result_container<Leaf>::type>{};
        } else {
            return std::type_identity<std::conditional_t<std::floating_point<Leaf>, Leaf, double>>{};
        }
    }
};

/// The results that belong to the leaves of argument types: one container or number for each.
template <class Leaves>
struct results_like;
template <class... Leaves>
struct results_like<std::tuple<Leaves...>> {
    using type = std::tuple<typename decltype(result_taker::type_for<Leaves>())::type...>;
};

template <class Program, class T, std::size_t First, std::size_t... K>
auto output_types(std::index_sequence<K...>) -> std::tuple<typename output_type<T, Program::graph[Program::graph.outputs[First + K]].rank>::type...>;

template <transform K, class Wrt, class F>
struct captured_checks;

template <transform K, class Wrt, class F>
struct array_backend {
    using checks = array_checks<K, F>;
    using ready_checks = typename std::conditional_t<stateless<F>, std::type_identity<checks>, std::type_identity<captured_checks<K, Wrt, F>>>::type;
    template <class... S>
    using wrt = typename chosen_positions<Wrt, sizeof...(S)>::type;

    template <class... S>
    struct inputs {
        constexpr list<std::uint32_t> operator()() const { return inputs_at<S...>(wrt<S...>{}); }
    };
    static constexpr policy rewriting = policy_of<F>();
    template <class... S>
    using program = program_of_arrays<derived_arrays<traced_arrays<F, rewriting, S...>, K, inputs<S...>, rewriting>, rewriting>;

    template <class... S>
    static auto run(const F& f, const S&... s) {
        if constexpr ((lazy_array<S> || ...)) {
            return run(f, computed(s)...);
        } else if constexpr (!ready_checks::template ready<S...>(wrt<S...>{})) {
            return checks::stand_in(wrt<S...>{}, s...);
        } else {
            return with_program(f, std::tuple<>{}, [&]<class Compiled, class T>(const auto& arguments) {
                if constexpr (K == transform::jacobian || K == transform::hessian) {
                    return matrices<Compiled, T, S...>(arguments, wrt<S...>{});
                } else if constexpr (K == transform::gradient) {
                    return gradients<Compiled, T, 0, S...>(arguments, std::tuple<>{}, wrt<S...>{});
                } else {
                    T value{};
                    auto gradient = gradients<Compiled, T, 1, S...>(arguments, std::tie(value), wrt<S...>{});
                    return std::pair{value, std::move(gradient)};
                }
            }, s...);
        }
    }
    /// Calls use.operator()<program, number type>(flat arguments).
    template <class D, class Use, class... S>
    static auto with_program(const F& f, const D& directions, const Use& use, const S&... s) {
        if constexpr (stateless<F>) {
            using T = computing_type<S..., D>;
            return use.template operator()<program<kind_of<S>...>, T>(std::tuple_cat(flat_leaves<T>(s)..., flat_leaves<T>(directions)));
        } else {
            return with_captured(f, [&]<class Source, class Leaves>(const Leaves& leaves) {
                using T = typename captured_number<Leaves, D>::type;
                using function = typename peeled_arrays<F>::template program<Source, kind_of<S>...>;
                using compiled = program_of_arrays<derived_captured<function, K, Wrt, kind_of<S>...>, default_policy>;
                return use.template operator()<compiled, T>(std::tuple_cat(flat_values<T>(leaves), flat_leaves<T>(directions)));
            }, s...);
        }
    }
    /// What f returns, as a structure of leaves.
    template <class... S>
    static auto result_leaves() {
        if constexpr (stateless<F>) {
            return std::type_identity<traced_result<F, S...>>{};
        } else if constexpr (std::same_as<typename peeled_arrays<F>::template program<F, S...>, F>) {
            return std::type_identity<captured_result<F, S...>>{};
        } else {
            return std::type_identity<decltype(std::declval<const F&>()(std::declval<const S&>()...))>{};
        }
    }
    template <class... S>
    using result_structure = typename decltype(result_leaves<S...>())::type;

    /// The same into containers and numbers that are there: `out` has the structure of the result.
    template <class Out, class... S>
    static void run_into(Out& out, const F& f, const S&... s) {
        if constexpr (ready_checks::template ready<S...>(wrt<S...>{})) {
            with_program(f, std::tuple<>{}, [&]<class Compiled, class T>(const auto& arguments) {
                constexpr bool fits = std::tuple_size_v<decltype(places_of(out))> == Compiled::graph.output_count;
                static_assert(fits, "[dyad] evaluate_into: the target must have the structure of the function's result");
                if constexpr (fits) execute_into<Compiled, T, true>(arguments, places_of(out));
            }, s...);
        }
    }

    /// jvp and hvp.
    template <class P, class D>
    static auto run_product(const F& f, const P& primals, const D& tangents) {
        if constexpr (takes_elements<F, P>()) {
            return std::apply([&](const auto&... p) { return product(f, tangents, p...); }, primals);
        } else {
            return product(f, tangents, primals);
        }
    }
    template <class D, class... S>
    static auto product(const F& f, const D& tangents, const S&... s) {
        static_assert(leaf_count<D> == leaf_count<S...>, "[dyad] jvp: the tangents must have the structure of the primals");
        if constexpr (!ready_checks::template ready<S...>(wrt<S...>{})) {
            return checks::stand_in(wrt<S...>{}, s...);
        } else {
            return with_program(f, tangents, [&]<class Compiled, class T>(const auto& arguments) {
                if constexpr (K == transform::hvp) {
                    return gradients<Compiled, T, 0, S...>(arguments, std::tuple<>{}, wrt<S...>{});
                } else {
                    using result = result_structure<S...>;
                    constexpr std::size_t count = structure<result>::size;
                    auto flat = decltype(output_types<Compiled, T, 0>(std::make_index_sequence<2 * count>{})){};
                    std::apply([&](auto&... out) { execute_into<Compiled, T>(arguments, std::tie(out...)); }, flat);
                    return std::pair{restored<result, 0>(flat), restored<result, count>(flat)};
                }
            }, s...);
        }
    }

    /// The result of f and its pullback, which keeps copies of the arguments.
    template <class... S>
    struct pullback_of {
        [[no_unique_address]] F f;
        std::tuple<S...> arguments;
        template <class C>
        auto operator()(const C& cotangent) const {
            return std::apply(
                [&](const auto&... s) {
                    return with_program(f, cotangent, []<class Compiled, class T>(const auto& flat) {
                        return gradients<Compiled, T, 0, S...>(flat, std::tuple<>{}, wrt<S...>{});
                    }, s...);
                },
                arguments);
        }
    };
    template <class... S>
    static auto run_pullback(const F& f, const S&... s) {
        if constexpr (!ready_checks::template ready<S...>(wrt<S...>{})) {
            return checks::stand_in(wrt<S...>{}, s...);
        } else {
            return std::pair{array_backend<transform::value, positions<>, F>::values(f, s...), pullback_of<S...>{f, {s...}}};
        }
    }

    /// The function itself.
    template <class... S>
    static auto values(const F& f, const S&... s) {
        if constexpr ((lazy_array<S> || ...)) {
            return values(f, computed(s)...);
        } else if constexpr (!ready_checks::template ready<S...>(positions<>{})) {
            return checks::stand_in(positions<0>{}, s...);
        } else {
            return with_program(f, std::tuple<>{}, [&]<class Compiled, class T>(const auto& arguments) {
                using result = result_structure<S...>;
                auto flat = decltype(output_types<Compiled, T, 0>(std::make_index_sequence<structure<result>::size>{})){};
                std::apply([&](auto&... out) { execute_into<Compiled, T>(arguments, std::tie(out...)); }, flat);
                return restored<result>(flat);
            }, s...);
        }
    }

private:
    /// The flat leaves of argument number A.
    template <std::size_t A, class... S, class Arguments>
    static auto leaves_at(const Arguments& arguments) {
        constexpr std::size_t sizes[] = {structure<S>::size...};
        constexpr std::size_t first = [] {
            std::size_t sum = 0;
            for (std::size_t k = 0; k < A; ++k) sum += sizes[k];
            return sum;
        }();
        return [&]<std::size_t... J>(std::index_sequence<J...>) {
            return std::tuple{std::get<first + J>(arguments)...};
        }(std::make_index_sequence<sizes[A]>{});
    }

    /// The outputs from number `First` on, in the structure of the chosen arguments; those before go to `head`.
    template <class Program, class T, std::size_t First, class... S, class Arguments, class Head, std::size_t... I>
    static auto gradients(const Arguments& arguments, const Head& head, positions<I...>) {
        using all = std::tuple<S...>;
        typename results_like<concatenated<typename every_leaf<std::tuple_element_t<I, all>>::type...>>::type flat;
        void* address[std::tuple_size_v<decltype(flat)> + 1] = {};
        std::apply(
            [&](auto&... out) {
                std::size_t next = 0;
                ((address[next++] = &out), ...);
                // Gradients have the shapes of the arguments that they belong to.
                const auto by = [&]<std::size_t A>(std::integral_constant<std::size_t, A>) { return leaves_at<A, S...>(arguments); };
                const auto likes = std::tuple_cat(std::array<int, std::tuple_size_v<Head>>{}, by(std::integral_constant<std::size_t, I>{})...);
                execute_into<Program, T>(arguments, std::tuple_cat(head, std::tie(out...)), likes);
            },
            flat);
        result_taker take{address};
        if constexpr (sizeof...(I) == 1) {
            return (structure<std::tuple_element_t<I, all>>::build(take), ...);
        } else {
            return std::tuple<decltype(structure<std::tuple_element_t<I, all>>::build(take))...>{structure<std::tuple_element_t<I, all>>::build(take)...};
        }
    }
    /// Derivative matrices: one for each pair of a result's and an argument's leaf; a single one stands alone.
    template <class Program, class T, class... S, class Arguments, std::size_t... I>
    static auto matrices(const Arguments& arguments, positions<I...>) {
        constexpr std::size_t count = Program::graph.output_count;
        auto flat = decltype(output_types<Program, T, 0>(std::make_index_sequence<count>{})){};
        std::apply([&](auto&... out) { execute_into<Program, T>(arguments, std::tie(out...)); }, flat);
        if constexpr (count == 1) {
            return std::move(std::get<0>(flat));
        } else {
            return flat;
        }
    }
};

/// The checks of a function with captured values.
template <transform K, class Wrt, class F>
struct captured_checks {
    template <class... S, std::size_t... I>
    static constexpr bool ready(positions<I...> p) {
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
            using result = typename array_backend<K, Wrt, F>::template result_structure<S...>;
            if constexpr (eager<result>) {
                return rank_of_expression<std::remove_cvref_t<decltype(to_expression(std::declval<const result&>()))>> == 0;
            } else {
                return number<result>;
            }
        }
    };
};

} // namespace dyad
