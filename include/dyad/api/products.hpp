// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Products with derivatives along a direction: Jacobian times tangent (jvp), Hessian times vector (hvp), none of which forms
// the matrix.
#pragma once

#include <dyad/api/transform.hpp>
#include <dyad/base/unpack.hpp>

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
constexpr bool elements_run_on_expressions(std::type_identity<std::tuple<E...>>) {
    return runs_on_expressions<F, std::remove_cvref_t<E>...>();
}
/// Whether products at primals P are expressions.
template <class F, class P>
constexpr bool products_are_expressions() {
    if constexpr (has_eager<P>) {
        return true;
    } else if constexpr (takes_elements<F>(std::type_identity<P>{})) {
        return elements_run_on_expressions<F>(std::type_identity<P>{});
    } else {
        return runs_on_expressions<F, P>();
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
        using numbers = values_in<P>;
        constexpr bool eagerly = has_eager<D> || products_are_expressions<F, P>(); // then arrays inside are recorded as all else
        if constexpr (eagerly && has_array<numbers, values_in<D>>) {
            return of_array_expressions(primals, tangents);
        } else if constexpr (has_array<P>) {
            return backend_for<K, Wrt, F, P, D>::run_product(f_, primals, tangents);
        } else if constexpr (takes_elements<F>(std::type_identity<numbers>{})) {
            if constexpr (!eagerly && transform_makes_arrays_of<F>(std::type_identity<numbers>{})) {
                return backend_for<K, Wrt, F, P, D>::run_product(f_, primals, tangents);
            } else if constexpr (!usable_with_elements<F>(std::type_identity<numbers>{})) {
                return refused(primals);
            } else if constexpr (!eagerly && elements_make_arrays<F>(std::type_identity<numbers>{})) {
                return backend_for<K, Wrt, F, P, D>::run_product(f_, primals, tangents);
            } else if constexpr (!is_along<D>(std::type_identity<P>{})) {
                return refused(primals);
            } else {
                return unpack([&](const auto&... p) { return products(tangents, p...); }, primals);
            }
        } else if constexpr (refused_argument<numbers>) {
            taken<numbers>();
            return refused(primals);
        } else if constexpr (!callable_with<F, numbers>()) {
            static_assert(never<P>, "[dyad] jvp, hvp: the function does not take these primals; pass several arguments as a tuple, and write auto for its parameters");
            return refused(primals);
        } else if constexpr (!eagerly && transform_makes_arrays<F, numbers>()) {
            return backend_for<K, Wrt, F, P, D>::run_product(f_, primals, tangents);
        } else if constexpr (!usable<F, numbers>()) {
            return refused(primals);
        } else if constexpr (!eagerly && makes_arrays<F, numbers>()) {
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
    static constexpr auto refused(const S& s) {
        const auto nothing = instead_of_result(s);
        if constexpr (is(K, transform::jvp)) {
            return std::pair{nothing, nothing};
        } else {
            return nothing;
        }
    }
    template <std::size_t Count>
    using wrt = typename chosen_positions<Wrt, Count>::type;
    /// Whether there is a product with tangents `D` for these primals; says why not.
    template <class D, class... E>
    static constexpr bool is_along(std::type_identity<std::tuple<E...>>) {
        if constexpr (has_arguments<sizeof...(E)>(wrt<sizeof...(E)>{})) {
            constexpr bool along = are_directions<values_in<D>, values_in<std::remove_cvref_t<E>>...>(wrt<sizeof...(E)>{});
            constexpr bool one = is(K, transform::jvp) || leaf_type<result_in_expressions<F, std::remove_cvref_t<E>...>>;
            static_assert(along, "[dyad] jvp, hvp: the tangents must have the structure of the primals, a tuple for several of them");
            static_assert(one, "[dyad] hvp: the function must return one number; take the jvp of the gradient of each");
            if constexpr (along && one && (has_eager<D> || runs_on_expressions<F, std::remove_cvref_t<E>...>())) return gives_number_where_asked<K, F, values_in<std::remove_cvref_t<E>>...>();
            return along && one;
        } else {
            return false;
        }
    }
    template <class P, class D>
    auto of_array_expressions(const P& primals, const D& tangents) const {
        const auto along = [&](const auto&... p) {
            using by = wrt<sizeof...(p)>;
            if constexpr (!usable_along<D, std::remove_cvref_t<decltype(p)>...>(by{})) {
                return refused(primals);
            } else {
                backend_for<K, by, F, values_in<std::remove_cvref_t<decltype(p)>>...>::check_tangents_in_place(value_in_place(tangents), value_in_place(p)...);
                return products(tangents, p...);
            }
        };
        if constexpr (takes_elements<F>(std::type_identity<values_in<P>>{})) {
            return unpack(along, primals);
        } else {
            return along(primals);
        }
    }
    /// Whether there is a product along D at these expressions of arrays, or beside such; says why not.
    template <class D, class... S, class By>
    static constexpr bool usable_along(By) {
        if constexpr (usable_on_expressions<K, By, F, values_in<S>...>()) {
            return backend_for<K, By, F, values_in<S>...>::template are_tangents<values_in<D>, values_in<S>...>(By{});
        } else {
            return false;
        }
    }
    template <class D, class... S>
    constexpr auto products(const D& tangents, const S&... s) const {
        using by = wrt<sizeof...(S)>;
        if constexpr (stand_beside_traced<F, D, S...>()) {
            return products(beside_traced(tangents), beside_traced(s)...);
        } else if constexpr (has_eager<D> || runs_on_expressions<F, S...>()) {
            using result = decltype(shaped<result_in_expressions<F, S...>, values_in<S>...>(std::declval<const tracer*>()));
            return expression_transform<K, by, result>(f_, std::tuple<const D&>(tangents), s...);
        } else {
            const auto results = run_transform<K, by>(f_, std::tuple<const D&>(tangents), s...);
            return shaped<result_of<F, S...>, S...>(results.data());
        }
    }
    /// The results for a function that returns a `result`.
    template <class result, class... S, class V>
    DYAD_FN static constexpr auto shaped(const V* values) {
        if constexpr (is(K, transform::jvp)) {
            return std::make_pair(value_result<result>(values), value_result<result>(values + structure<result>::size));
        } else {
            return gradient_result<S...>(wrt<sizeof...(S)>{}, values);
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

} // namespace dyad
DYAD_BOTH_SIDES_END
