// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Products with derivatives: Jacobian times tangent (jvp), cotangent times Jacobian (vjp), Hessian times vector
// (hvp), none of which forms the matrix.
#pragma once

#include <dyad/api/transform.hpp>
#include <dyad/base/unpack.hpp>
#include <dyad/pass/split.hpp>

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;

/// Whether a direction `D` is one along `S`: the same structure, whatever its numbers are. As many numbers are not enough: they
/// would be reshuffled in silence.
template <class S, class D>
constexpr bool has_structure() {
    if constexpr (refused_argument<D> || eager<D> || has_array<D>) {
        return false;
    } else {
        return same_structure<S, D>();
    }
}
/// The same of directions along the arguments at the positions; a tuple of one is that one.
template <class D, class... S, std::size_t... Item>
constexpr bool are_directions(positions<Item...>) {
    using arguments = std::tuple<S...>;
    if constexpr (sizeof...(Item) == 1) {
        return (has_structure<std::tuple_element_t<Item, arguments>, D>() && ...) || has_structure<std::tuple<std::tuple_element_t<Item, arguments>...>, D>();
    } else {
        return has_structure<std::tuple<std::tuple_element_t<Item, arguments>...>, D>();
    }
}

/// Whether the arguments are the elements of the tuple, rather than the tuple itself. (Of types that are refused `usable` says why.)
template <class F, class S>
constexpr bool takes_elements(std::type_identity<S>) {
    return false;
}
template <class F, class... E>
constexpr bool takes_elements(std::type_identity<std::tuple<E...>>) {
    if constexpr ((refused_argument<std::remove_cvref_t<E>> || ...)) {
        return true;
    } else {
        return callable_with<F, std::remove_cvref_t<E>...>();
    }
}

template <class F, class... E>
constexpr bool usable_with_elements(std::type_identity<std::tuple<E...>>) {
    return usable<F, std::remove_cvref_t<E>...>();
}
template <class F, class... E>
constexpr bool elements_make_arrays(std::type_identity<std::tuple<E...>>) {
    return makes_arrays<F, std::remove_cvref_t<E>...>();
}
template <class F, class... E>
constexpr bool transform_makes_arrays_of(std::type_identity<std::tuple<E...>>) {
    return transform_makes_arrays<F, std::remove_cvref_t<E>...>();
}

/// jvp and hvp: `(primals, tangents)`, tuples for several arguments, plain for one; with tangents for all arguments, or for those at the
/// positions `Wrt`.
template <transform K, class Wrt, class F>
class forward_product {
public:
    static constexpr policy rewriting = policy_of<F>();

    constexpr forward_product() = default;
    constexpr explicit forward_product(F f) : f_(std::move(f)) {}

    /// What it is the product of.
    [[nodiscard]] constexpr const F& function() const { return f_; }

    template <class P, class D>
    DYAD_FN constexpr auto operator()(const P& primals, const D& tangents) const {
        if constexpr (eager<P> || eager<D>) {
            static_assert(never<P>, DYAD_NO_EXPRESSIONS);
            return refused(primals);
        } else if constexpr (has_array<P>) {
            return backend_for<K, Wrt, F, P, D>::run_product(f_, primals, tangents);
        } else if constexpr (takes_elements<F>(std::type_identity<P>{})) {
            if constexpr (transform_makes_arrays_of<F>(std::type_identity<P>{})) {
                return backend_for<K, Wrt, F, P, D>::run_product(f_, primals, tangents);
            } else if constexpr (!usable_with_elements<F>(std::type_identity<P>{})) {
                return refused(primals);
            } else if constexpr (elements_make_arrays<F>(std::type_identity<P>{})) {
                return backend_for<K, Wrt, F, P, D>::run_product(f_, primals, tangents);
            } else if constexpr (!is_along<D>(std::type_identity<P>{})) {
                return refused(primals);
            } else {
                return unpack([&](const auto&... p) { return products(tangents, p...); }, primals);
            }
        } else if constexpr (refused_argument<P>) {
            taken<P>();
            return refused(primals);
        } else if constexpr (!callable_with<F, P>()) {
            static_assert(never<P>, "[dyad] jvp, hvp: the function does not take these primals; pass several arguments as a tuple, and write auto for its parameters");
            return refused(primals);
        } else if constexpr (transform_makes_arrays<F, P>()) {
            return backend_for<K, Wrt, F, P, D>::run_product(f_, primals, tangents);
        } else if constexpr (!usable<F, P>()) {
            return refused(primals);
        } else if constexpr (makes_arrays<F, P>()) {
            return backend_for<K, Wrt, F, P, D>::run_product(f_, primals, tangents);
        } else if constexpr (!is_along<D>(std::type_identity<std::tuple<P>>{})) {
            return refused(primals);
        } else {
            return products(tangents, primals);
        }
    }
    /// The arguments one by one, as grad takes them.
    template <class... S>
        requires(sizeof...(S) != 2)
    constexpr auto operator()(const S&... s) const {
        static_assert(never<S...>, "[dyad] jvp, hvp: they take primals and tangents; pass several of each as tuples: jvp(f)(std::tuple{x, y}, std::tuple{dx, dy})");
        return refused(instead_of_result(s...));
    }

private:
    /// What a refused call gives, so that one mistake gives one message.
    template <class S>
    static constexpr auto refused([[maybe_unused]] const S& s) {
        if constexpr (K == transform::jvp) {
            return std::pair{0.0, 0.0};
        } else {
            return instead_of_result(s);
        }
    }
    template <std::size_t Count>
    using wrt = typename chosen_positions<Wrt, Count>::type;
    /// Whether there is a product with tangents `D` for these primals; says why not.
    template <class D, class... E>
    static constexpr bool is_along(std::type_identity<std::tuple<E...>>) {
        if constexpr (has_arguments<sizeof...(E)>(wrt<sizeof...(E)>{})) {
            constexpr bool along = are_directions<D, std::remove_cvref_t<E>...>(wrt<sizeof...(E)>{});
            constexpr bool one = K == transform::jvp || leaf_type<result_of<F, std::remove_cvref_t<E>...>>;
            static_assert(along, "[dyad] jvp, hvp: the tangents must have the structure of the primals, a tuple for several of them");
            static_assert(one, "[dyad] hvp: the function must return one number; take the jvp of the gradient of each");
            return along && one;
        } else {
            return false;
        }
    }
    template <class D, class... S>
    constexpr auto products(const D& tangents, const S&... s) const {
        using by = wrt<sizeof...(S)>;
        const auto results = run_transform<K, by>(f_, std::tuple<const D&>(tangents), s...);
        if constexpr (K == transform::jvp) {
            using result = result_of<F, S...>;
            return std::make_pair(value_result<result>(results.data()), value_result<result>(results.data() + structure<result>::size));
        } else {
            return gradient_result<S...>(by{}, results.data());
        }
    }

    [[no_unique_address]] F f_;
};

/// f and its directional derivative: `auto [v, t] = jvp(f)(std::tuple{1.5, 2.0}, std::tuple{1.0, 0.0});` t = J·v. With positions,
/// along these arguments, the others being data: `jvp<0>(f)(std::tuple{1.5, 3}, 1.0)`, `jvp<0, 2>(f)(primals, std::tuple{dx, dz})`.
template <std::size_t... Item, class F>
constexpr auto jvp(F f) {
    return forward_product<transform::jvp, positions<Item...>, F>(std::move(f));
}

/// H·v, forward over reverse: `hvp(f)(std::tuple{1.5, 2.0}, std::tuple{1.0, 0.0})`. With positions, of the Hessian by these arguments:
/// `hvp<0>(loss)(std::tuple{w, X, labels}, v)`.
template <std::size_t... Item, class F>
constexpr auto hvp(F f) {
    return forward_product<transform::hvp, positions<Item...>, F>(std::move(f));
}

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
        if constexpr (!takes_cotangent<Result, C>()) {
            return refused_pullback<Wrt, S...>()(0);
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
        if constexpr (takes_cotangent<Result, C>()) {
            return unpack(
                [&](const auto&... s) {
                    const auto results = run_transform<transform::vjp, Wrt>(f.get(), std::tuple<const C&>(cotangent), s...);
                    return gradient_result<S...>(Wrt{}, results.data());
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
        if constexpr (has_array<S...> || transform_makes_arrays<F, S...>()) {
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

#undef DYAD_NO_EXPRESSIONS
