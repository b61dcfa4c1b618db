// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Cotangent times Jacobian (vjp), without the matrix: the value, and a pullback that holds what it needs of it.
#pragma once

#include <dyad/api/products.hpp>
#include <dyad/base/unpack.hpp>
#include <dyad/pass/split.hpp>

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// The two halves of a pullback: what is computed with the value, and what waits for the cotangents.
template <class F, class Wrt, class... S>
struct pullback_program {
    using source = traced_program<F, policy_of<F>(), S...>;
    static constexpr std::size_t values = source::graph.view().output_count;

    /// The values, then the pullback of cotangents that are inputs.
    struct joined {
        struct make {
            constexpr dyad::graph operator()() const {
                dyad::graph g = differentiate<rules_in<source>>(source::graph, transform::vjp, inputs_at<S...>(Wrt{}), policy_of<F>());
                builder b(rewriter_of(policy_of<F>()));
                list<node_index> outputs = b.append(source::graph, true);
                for (const node_index i : b.append(g, true)) outputs.push_back(i);
                g = b.finish(outputs);
                g.input_count = static_cast<std::uint32_t>(source::graph.input_count + values);
                return g;
            }
        };
        static constexpr const auto& graph = frozen<make, 4 * source::graph.view().size + 64,
                                                    source::graph.view().input_count + values>::value;
    };
    static constexpr const auto& whole = lowered_program<joined, policy_of<F>()>::graph;
    template <bool Early>
    struct half {
        static constexpr bool contracts = policy_of<F>() == policy::fast;
        struct make {
            constexpr dyad::graph operator()() const {
                const split_graph both = split(whole, source::graph.input_count, values);
                return Early ? both.early : both.late;
            }
        };
        static constexpr const auto& graph =
            frozen<make, whole.view().size, whole.view().size + values>::value;
    };
};

/// Whether `C` is a cotangent of a result `Result`; says if not.
template <class Result, class C>
constexpr bool takes_cotangent() {
    constexpr bool takes = has_structure<Result, C>();
    static_assert(takes, "[dyad] pullback: the cotangent must have the structure of the function's result");
    return takes;
}
/// What stands for a pullback that there is not, so that one mistake gives one message.
template <class Wrt, class... S>
struct refused_pullback {
    template <class... C>
    constexpr auto operator()(const C&...) const {
        if constexpr (sizeof...(S) == 1 || is_one_position<Wrt>) {
            return 0.0;
        } else {
            return std::tuple{(static_cast<void>(std::type_identity<S>{}), 0.0)...};
        }
    }
};
template <class Wrt, class... S>
constexpr auto refuse_cotangents() {
    static_assert(never<S...>, "[dyad] pullback: it takes one cotangent, with the structure of the function's result; pass that of several results as a tuple");
    return refused_pullback<Wrt, S...>()();
}

/// cotangents of the arguments from cotangents of the result; holds the residuals, and can be called repeatedly.
template <class Program, class T, class Result, class Wrt, class... S>
struct compiled_pullback {
    static constexpr std::size_t residual_count =
        Program::template half<true>::graph.view().output_count - Program::values;
    std::array<T, residual_count> residuals;

    template <class C>
    DYAD_FN constexpr auto operator()(const C& cotangent) const {
        using late = typename Program::template half<false>;
        if constexpr (!takes_cotangent<Result, values_in<C>>()) {
            return refused_pullback<Wrt, S...>()(0);
        } else if constexpr (has_leaf<tracer, C> && has_eager<C>) {
            return (*this)(beside_traced(cotangent));
        } else if constexpr (has_eager<C>) {
            using result = decltype(gradient_result<S...>(Wrt{}, std::declval<const tracer*>()));
            return recorded_structure<record_late, result>(flat_operands(residuals, cotangent));
        } else if constexpr (has_leaf<tracer, C>) {
            const auto results = record<late::graph.view().output_count>(late::graph, cotangent);
            return gradient_result<S...>(Wrt{}, results.data());
        } else {
            using given = common_leaf<T, C>;
            using V = std::conditional_t<number<given>, T, given>; // (a recorded cotangent of plain arguments has derivatives, too)
            const auto input = flat_inputs<V>(residuals, cotangent);
            const auto results = kernel_of<late>::template run<V>(input.data());
            return gradient_result<S...>(Wrt{}, results.data());
        }
    }
    template <class... C>
        requires(sizeof...(C) != 1)
    constexpr auto operator()(const C&...) const {
        return refuse_cotangents<Wrt, S...>();
    }

private:
    struct record_late {
        constexpr list<node_index> operator()(builder& b, const list<node_index>& operands) const {
            return b.append(Program::template half<false>::graph, operands);
        }
    };
    /// In a trace the residuals are constants. (The late half is linear in the cotangents: nothing in it is lowered
    /// to what has no derivative.)
    template <std::size_t Count, class C>
    constexpr std::array<tracer, Count> record(graph_view late, const C& cotangent) const {
        builder& b = *home_of(cotangent);
        list<node_index> inputs;
        for (const T& residual : residuals) inputs.push_back(b.constant(exact(residual), element_of<T>()));
        for_each_leaf([&](const auto& leaf) { inputs.push_back(tracer(leaf).in(b)); }, cotangent);
        const list<node_index> nodes = b.append(late, inputs);
        std::array<tracer, Count> results{};
        for (std::size_t i = 0; i < Count; ++i) results[i] = tracer(b, nodes[i]);
        return results;
    }
};

/// A pullback that keeps the function and its arguments: in a trace, and for functions with captured numbers.
template <class F, class Result, class Wrt, class... S>
struct recomputing_pullback {
    kept_function<F> f;
    std::tuple<S...> arguments;

    template <class C>
    constexpr auto operator()(const C& cotangent) const {
        if constexpr (stand_beside_traced<F, C, S...>()) {
            return unpack([&](const auto&... s) {
                return recomputing_pullback<F, Result, Wrt, decltype(beside_traced(s))...>{f, {beside_traced(s)...}}(beside_traced(cotangent));
            }, arguments);
        } else if constexpr (takes_cotangent<Result, values_in<C>>()) {
            return unpack(
                [&](const auto&... s) {
                    if constexpr (has_eager<C> || runs_on_expressions<F, S...>()) {
                        using result = decltype(gradient_result<values_in<S>...>(Wrt{}, std::declval<const tracer*>()));
                        return expression_transform<transform::vjp, Wrt, result>(f.get(), std::tuple<const C&>(cotangent), s...);
                    } else {
                        const auto results = run_transform<transform::vjp, Wrt>(f.get(), std::tuple<const C&>(cotangent), s...);
                        return gradient_result<S...>(Wrt{}, results.data());
                    }
                },
                arguments);
        } else {
            return refused_pullback<Wrt, S...>()(0);
        }
    }
    template <class... C>
        requires(sizeof...(C) != 1)
    constexpr auto operator()(const C&...) const {
        return refuse_cotangents<Wrt, S...>();
    }
};

template <class Wrt, class F>
class reverse_product {
public:
    static constexpr policy rewriting = policy_of<F>();

    constexpr reverse_product() = default;
    constexpr explicit reverse_product(F f) : f_(std::move(f)) {}

    template <class... S>
    DYAD_FN constexpr auto operator()(const S&... s) const {
        using wrt = typename chosen_positions<Wrt, sizeof...(S)>::type;
        if constexpr (stand_beside_traced<F, std::tuple<>, S...>()) {
            return (*this)(beside_traced(s)...);
        } else if constexpr (runs_on_expressions<F, S...>()) {
            return of_expressions<wrt>(s...);
        } else if constexpr (has_array<S...> || transform_makes_arrays<F, S...>()) {
            return backend_for<transform::vjp, wrt, F, S...>::run_pullback(f_, s...);
        } else if constexpr (usable<F, S...>() && has_arguments<sizeof...(S)>(wrt{})) {
            if constexpr (makes_arrays<F, S...>()) {
                return backend_for<transform::vjp, wrt, F, S...>::run_pullback(f_, s...);
            } else {
                return run<wrt>(s...);
            }
        } else {
            return std::pair{instead_of_result(s...), refused_pullback<Wrt, S...>{}};
        }
    }

private:
    /// A condition among the arguments cannot be a residual, which is a number; nor can what loops and branches keep.
    template <class... S>
    static constexpr bool keeps_residuals() {
        if constexpr (stateless<F> && !has_leaf<tracer, S...> && !has_leaf<bool, S...>) {
            return !has_regions(traced_program<F, policy_of<F>(), S...>::graph);
        } else {
            return false;
        }
    }
    template <class wrt, class... S>
    constexpr auto of_expressions(const S&... s) const {
        if constexpr (usable_on_expressions<transform::vjp, wrt, F, values_in<S>...>() && has_arguments<sizeof...(S)>(wrt{})) {
            using result = result_in_expressions<F, S...>;
            using made = decltype(value_result<result>(std::declval<const tracer*>()));
            const auto value = expression_transform<transform::value, wrt, made>(f_, std::tuple<>{}, s...);
            if constexpr (has_array<values_in<S>..., values_in<std::remove_const_t<decltype(value)>>>) {
                return std::make_pair(value, backend_for<transform::vjp, wrt, F, values_in<S>...>::pullback_in_expressions(f_, value, s...));
            } else {
                return std::make_pair(value, recomputing_pullback<F, result, wrt, S...>{{f_}, std::make_tuple(s...)});
            }
        } else {
            return std::pair{instead_of_result(s...), refused_pullback<Wrt, S...>{}};
        }
    }
    template <class wrt, class... S>
    DYAD_FN constexpr auto run(const S&... s) const {
        using result = result_of<F, S...>;
        check_call<F, S...>(wrt{});
        if constexpr (keeps_residuals<S...>()) {
            using T = common_leaf<S...>;
            using program = pullback_program<F, wrt, S...>;
            const auto input = flat_inputs<T>(s...);
            const auto early =
                kernel_of<typename program::template half<true>>::template run<T>(input.data());
            compiled_pullback<program, T, result, wrt, S...> pull{};
            copy_numbers<pull.residuals.size()>(early.data() + program::values, pull.residuals.data());
            return std::make_pair(value_result<result>(early.data()), pull);
        } else {
            const auto values = run_transform<transform::value, wrt>(f_, std::tuple<>{}, s...);
            return std::make_pair(value_result<result>(values.data()), recomputing_pullback<F, result, wrt, S...>{{f_}, std::make_tuple(s...)});
        }
    }

    [[no_unique_address]] F f_;
};

/// f and its pullback: `auto [w, pullback] = vjp(f)(1.5, 2.0); auto [dx, dy] = pullback(1.0);`
template <std::size_t... Item, class F>
constexpr auto vjp(F f) {
    return reverse_product<positions<Item...>, F>(std::move(f));
}

} // namespace dyad
DYAD_BOTH_SIDES_END
