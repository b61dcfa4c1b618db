// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Transforms of functions of arrays: the same calls as for numbers, with arrays among the arguments.
#pragma once

#include <dyad/api/products.hpp>
#include <dyad/array/convolution.hpp>
#include <dyad/array/values.hpp>
#include <dyad/array/variance.hpp>

namespace dyad {

/// Whether constant evaluation can run the function on arrays.
template <class F, class... S>
constexpr bool measured_arrays() {
    return trace_arrays<F, S...>(F{}, policy::verbatim).nodes.count + 1 > 0;
}
template <class F, class... S>
    requires(measured_arrays<F, S...>())
constexpr bool traceable_arrays_or(int) {
    return true;
}
template <class F, class... S>
constexpr bool traceable_arrays_or(...) {
    return false;
}

/// What has to hold before a program is made, each with its own sentence.
template <class F, class... S>
constexpr bool usable_with_arrays() {
    static_assert(stateless<F>, "[dyad] capture: a function of arrays cannot have captured values; pass them as arguments, and choose with grad<...>");
    if constexpr (stateless<F>) {
        constexpr bool callable = requires(const F& f, traced<S>&... s) { f(s...); };
        static_assert(callable, "[dyad] call: the function cannot be called so, with this number of arguments; call its derivative as you would call the function");
        if constexpr (callable) {
#if defined(DYAD_SHOW_TRACE)
            return true;
#else
            constexpr bool runs = traceable_arrays_or<F, kind_of<S>...>(0);
            static_assert(runs, "[dyad] trace: the compiler cannot run this function: ranks or axes do not fit, it branches on a traced value, it is very long, "
                                "or uses what is not constexpr; compile with -DDYAD_SHOW_TRACE to see where");
            return runs;
#endif
        }
    }
    return false;
}

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

/// The structure R with flat results, by position.
template <class R, std::size_t First = 0, class Flat>
auto restored(Flat& flat) {
    if constexpr (leaf_type<R>) {
        return std::move(std::get<First>(flat));
    } else {
        return []<std::size_t... I>(Flat& f, std::index_sequence<I...>) {
            constexpr auto before = [](std::size_t i) {
                const std::size_t sizes[] = {structure<std::tuple_element_t<I, R>>::size...};
                std::size_t sum = First;
                for (std::size_t k = 0; k < i; ++k) sum += sizes[k];
                return sum;
            };
            if constexpr (is_tuple<R>) {
                return std::tuple{restored<std::tuple_element_t<I, R>, before(I)>(f)...};
            } else if constexpr (requires(R& r) { r.first; }) {
                return std::pair{restored<std::tuple_element_t<I, R>, before(I)>(f)...};
            } else {
                return std::array{restored<std::tuple_element_t<I, R>, before(I)>(f)...};
            }
        }(flat, std::make_index_sequence<std::tuple_size_v<R>>{});
    }
}

template <transform K, class Wrt, class F>
struct array_backend {
    template <class... S>
    using wrt = typename chosen_positions<Wrt, sizeof...(S)>::type;

    template <class... S>
    struct inputs {
        constexpr list<std::uint32_t> operator()() const { return inputs_at<S...>(wrt<S...>{}); }
    };
    static constexpr policy rewriting = policy_of<F>();
    template <class... S>
    using program = array_program<derived_arrays<traced_arrays<F, rewriting, S...>, K, inputs<S...>, rewriting>, rewriting>;

    template <class... S>
    static auto run(const F& f, const S&... s) {
        if constexpr ((lazy_array<S> || ...)) {
            return run(f, computed(s)...);
        } else if constexpr (usable_with_arrays<F, S...>()) {
            static_cast<void>(f);
            check<S...>(wrt<S...>{});
            using T = computing_type<S...>;
            using compiled = program<kind_of<S>...>;
            const auto arguments = std::tuple_cat(flat_leaves<T>(s)...);
            if constexpr (K == transform::jacobian || K == transform::hessian) {
                return matrices<compiled, T, S...>(arguments, wrt<S...>{});
            } else if constexpr (K == transform::gradient) {
                return gradients<compiled, T, 0, S...>(arguments, std::tuple<>{}, wrt<S...>{});
            } else {
                T value{};
                auto gradient = gradients<compiled, T, 1, S...>(arguments, std::tie(value), wrt<S...>{});
                return std::pair{value, std::move(gradient)};
            }
        }
    }

    /// The same into containers and numbers that are there: `out` has the structure of the result.
    template <class Out, class... S>
    static void run_into(Out& out, const F&, const S&... s) {
        if constexpr (usable_with_arrays<F, S...>()) {
            if constexpr (K != transform::value) check<S...>(wrt<S...>{});
            using T = computing_type<S...>;
            using compiled = program<kind_of<S>...>;
            static_assert(std::tuple_size_v<decltype(places_of(out))> == compiled::graph.output_count,
                          "[dyad] evaluate_into: the target must have the structure of the function's result");
            execute_into<compiled, T>(std::tuple_cat(flat_leaves<T>(s)...), places_of(out));
        }
    }

    /// jvp and hvp.
    template <class P, class D>
    static auto run_product(const F& f, const P& primals, const D& tangents) {
        static_cast<void>(f);
        if constexpr (takes_elements<F, P>()) {
            return std::apply([&](const auto&... p) { return product(tangents, p...); }, primals);
        } else {
            return product(tangents, primals);
        }
    }
    template <class D, class... S>
    static auto product(const D& tangents, const S&... s) {
        static_assert(leaf_count<D> == leaf_count<S...>, "[dyad] jvp: the tangents must have the structure of the primals");
        if constexpr (usable_with_arrays<F, S...>()) {
            using T = computing_type<S..., D>;
            using compiled = program<kind_of<S>...>;
            const auto arguments = std::tuple_cat(flat_leaves<T>(s)..., flat_leaves<T>(tangents));
            if constexpr (K == transform::hvp) {
                return gradients<compiled, T, 0, S...>(arguments, std::tuple<>{}, wrt<S...>{});
            } else {
                using result = traced_result<F, S...>;
                constexpr std::size_t count = structure<result>::size;
                auto flat = decltype(output_types<compiled, T, 0>(std::make_index_sequence<2 * count>{})){};
                std::apply([&](auto&... out) { execute_into<compiled, T>(arguments, std::tie(out...)); }, flat);
                return std::pair{restored<result, 0>(flat), restored<result, count>(flat)};
            }
        }
    }

    /// The result of f and its pullback, which keeps copies of the arguments.
    template <class... S>
    struct pullback_of {
        std::tuple<S...> arguments;
        template <class C>
        auto operator()(const C& cotangent) const {
            using T = computing_type<S..., C>;
            using compiled = program<kind_of<S>...>;
            return std::apply(
                [&](const auto&... s) {
                    const auto flat = std::tuple_cat(flat_leaves<T>(s)..., flat_leaves<T>(cotangent));
                    return gradients<compiled, T, 0, S...>(flat, std::tuple<>{}, wrt<S...>{});
                },
                arguments);
        }
    };
    template <class... S>
    static auto run_pullback(const F& f, const S&... s) {
        if constexpr (usable_with_arrays<F, S...>()) {
            check<S...>(wrt<S...>{});
            return std::pair{array_backend<transform::value, positions<>, F>::values(f, s...), pullback_of<S...>{{s...}}};
        }
    }

    /// The function itself.
    template <class... S>
    static auto values(const F& f, const S&... s) {
        static_cast<void>(f);
        if constexpr ((lazy_array<S> || ...)) {
            return values(f, computed(s)...);
        } else if constexpr (usable_with_arrays<F, S...>()) {
            using T = computing_type<S...>;
            using compiled = program<kind_of<S>...>;
            using result = traced_result<F, S...>;
            auto flat = decltype(output_types<compiled, T, 0>(std::make_index_sequence<structure<result>::size>{})){};
            const auto arguments = std::tuple_cat(flat_leaves<T>(s)...);
            std::apply([&](auto&... out) { execute_into<compiled, T>(arguments, std::tie(out...)); }, flat);
            return restored<result>(flat);
        }
    }

private:
    template <class... S, std::size_t... I>
    static constexpr void check(positions<I...>) {
        check_call<F, S...>(positions<I...>{});
        static_assert((all_elements_real<std::tuple_element_t<I, std::tuple<S...>>>() && ...),
                      "[dyad] transform: a derivative with respect to integers does not exist; pass an array of doubles, or choose other arguments with grad<...>");
        constexpr bool number_wanted = K == transform::gradient || K == transform::value_and_gradient || K == transform::hessian;
        if constexpr (number_wanted) {
            using source = traced_arrays<F, rewriting, kind_of<S>...>;
            constexpr graph_view g = source::graph.view();
            static_assert(g.output_count == 1 && g[g.outputs[0]].rank == 0,
                          "[dyad] grad: the function must return one number; reduce it with sum or mean, or use jacobian, jvp or vjp");
        }
    }
    template <class S>
    static constexpr bool all_elements_real() {
        return []<class... Leaves>(std::type_identity<std::tuple<Leaves...>>) {
            return (std::floating_point<typename leaf_number<Leaves>::type> && ...);
        }(std::type_identity<typename structure<S>::leaves>{});
    }

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

} // namespace dyad
