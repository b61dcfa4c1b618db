// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Functions in, derivative functions out. What comes back is a function object without state of its own:
// constexpr, free of allocation, usable on numbers, on vectors of numbers, and inside other transforms.
#pragma once

#include <utility>

#include <dyad/api/expression_transform.hpp>

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// Transform `K` of `F` with respect to the arguments at the positions `Wrt` (all, if none are named).
template <transform K, class Wrt, class F>
class transformed {
public:
    static constexpr policy rewriting = policy_of<F>();

    constexpr transformed() = default;
    constexpr explicit transformed(F f) : f_(std::move(f)) {}

    /// What it is the derivative of.
    [[nodiscard]] constexpr const F& function() const { return f_; }

    template <class... S>
    DYAD_FN DYAD_INLINE constexpr auto operator()(const S&... s) const {
        if constexpr (!repeats_by_a_number<S...>()) {
            return instead_of_result(s...);
        } else if constexpr (has_array<S...> && !runs_on_expressions<F, S...>()) {
            return backend_for<K, Wrt, F, S...>::run(f_, s...);
        } else if constexpr (!has_arguments<sizeof...(S)>(Wrt{})) {
            return instead_of_result(s...); // one mistake, one message
        } else if constexpr (stand_beside_traced<F, std::tuple<>, S...>()) {
            return (*this)(beside_traced(s)...);
        } else if constexpr (runs_on_expressions<F, S...>()) {
            return of_expressions(s...);
        } else if constexpr (transform_makes_arrays<F, S...>()) {
            return of_made_arrays(s...);
        } else if constexpr (usable<F, S...>()) {
            if constexpr (makes_arrays<F, S...>()) {
                return of_made_arrays(s...);
            } else {
                const auto results = run_transform<K, wrt<S...>>(f_, std::tuple<>{}, s...);
                return shaped<result_of<F, S...>, S...>(results.data());
            }
        } else {
            return instead_of_result(s...);
        }
    }

private:
    template <class... S>
    using wrt = typename chosen_positions<Wrt, sizeof...(S)>::type;

    template <class... S>
    constexpr auto of_expressions(const S&... s) const {
        if constexpr (usable_on_expressions<K, wrt<S...>, F, values_in<S>...>()) {
            using result = decltype(shaped<result_in_expressions<F, S...>, values_in<S>...>(std::declval<const tracer*>()));
            return expression_transform<K, wrt<S...>, result>(f_, std::tuple<>{}, s...);
        } else {
            return instead_of_result(s...);
        }
    }
    /// A function of numbers that works with arrays.
    template <class... S>
    auto of_made_arrays(const S&... s) const {
        if constexpr (order_of(K) > 1) {
            return derivative_of_derivative<order_of(K) - 1>(transformed<transform::gradient, Wrt, F>(f_))(s...);
        } else {
            return backend_for<K, Wrt, F, S...>::run(f_, s...);
        }
    }
    template <int More, class G>
    static auto derivative_of_derivative(const G& g) {
        if constexpr (More == 0) {
            return g;
        } else {
            return derivative_of_derivative<More - 1>(transformed<transform::gradient, Wrt, G>(g));
        }
    }
    /// Whether the result can be differentiated as often as it is to be; says so where it is by several numbers.
    template <class... S>
    static constexpr bool repeats_by_a_number() {
        constexpr bool numbers = order_of(K) <= 0 || (!has_array<values_in<S>...> && (leaf_type<S> && ...));
        static_assert(numbers, "[dyad] derivative: it is by one number; for arrays and structures take grad, jacobian or hessian");
        return numbers;
    }
    /// The results of transform K of a function that returns a `result`.
    template <class result, class... S, class V>
    DYAD_FN DYAD_INLINE static constexpr auto shaped(const V* values) {
        using by = wrt<S...>;
        constexpr std::size_t rows = structure<result>::size, columns = chosen_leaves<S...>(by{});
        constexpr bool plain = one_plain_number<S...>(by{});
        constexpr bool number_wanted = is(K, transform::gradient) || is(K, transform::value_and_gradient) ||
                                       is(K, transform::hessian) || order_of(K) > 0;
        static_assert(!number_wanted || leaf_type<result>,
                      "[dyad] grad: the function must return one number; use jacobian, jvp or vjp");
        if constexpr (is(K, transform::gradient) || order_of(K) > 0) {
            return gradient_result<S...>(by{}, values);
        } else if constexpr (is(K, transform::value_and_gradient)) {
            return std::make_pair(values[0], gradient_result<S...>(by{}, values + 1));
        } else if constexpr (is(K, transform::jacobian)) {
            return matrix_result<leaf_type<result>, plain, rows, columns>(values);
        } else {
            return matrix_result<plain, plain, columns, columns>(values);
        }
    }

    [[no_unique_address]] F f_;
};

/// The gradient of `f`: one result for each argument, or for those at the positions `Item...`.
/// Example: `grad([](auto x) { return x * x * x; })(2.0) == 12.0`.
template <std::size_t... Item, class F>
constexpr auto grad(F f) {
    return transformed<transform::gradient, positions<Item...>, F>(std::move(f));
}

/// The value of `f` and its gradient, as a pair, in one pass.
/// Example: `auto [value, gradient] = value_and_grad(f)(1.5, 2.0);`
template <std::size_t... Item, class F>
constexpr auto value_and_grad(F f) {
    return transformed<transform::value_and_gradient, positions<Item...>, F>(std::move(f));
}

/// J[i][j] = ∂fᵢ/∂xⱼ, the leaves of result and arguments in order; a single plain number has no index.
template <std::size_t... Item, class F>
constexpr auto jacobian(F f) {
    return transformed<transform::jacobian, positions<Item...>, F>(std::move(f));
}

/// H[i][j] = ∂²f/∂xᵢ∂xⱼ over all leaves of the arguments; a single plain number has no index.
template <std::size_t... Item, class F>
constexpr auto hessian(F f) {
    return transformed<transform::hessian, positions<Item...>, F>(std::move(f));
}

/// dᴺf/dxᴺ of a function of one number, in a number of operations that grows like a power of N (pass/higher_order.hpp); through loops, branches
/// and rules it is the derivative of the derivative, whose operations multiply with each order. Example: `derivative<3>(g)(2.0)`.
template <int N = 1, class F>
constexpr auto derivative(F f) {
    static_assert(N >= 0, "[dyad] derivative: the order must not be negative");
    if constexpr (N <= 0) {
        return f;
    } else if constexpr (N == 1) {
        return transformed<transform::gradient, only_position, F>(std::move(f));
    } else {
        return transformed<derivative_of_order(N), only_position, F>(std::move(f));
    }
}

/// `F` with a policy of its own for the passes.
template <policy P, class F>
struct with_policy {
    static constexpr policy rewriting = P;
    [[no_unique_address]] F f;

    template <class... S>
    constexpr auto operator()(const S&... s) const {
        return f(s...);
    }
};

/// `f` with only those rewrites that keep every bit of an IEEE result: `grad(strict(f))`.
template <class F>
constexpr auto strict(F f) {
    return with_policy<policy::strict, F>{std::move(f)};
}

/// `f` with no rewriting at all: `grad(verbatim(f))`.
template <class F>
constexpr auto verbatim(F f) {
    return with_policy<policy::verbatim, F>{std::move(f)};
}

} // namespace dyad
DYAD_BOTH_SIDES_END
