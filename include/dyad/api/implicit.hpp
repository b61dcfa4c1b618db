// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Functions that are given by an equation: whatever solves it is run and not looked into; derivatives come from the
// equation (implicit function theorem; Krantz and Parks, The Implicit Function Theorem, 2003, theorem 1.3.1; for
// programs: Blondel et al., Efficient and Modular Implicit Differentiation, 2022).
#pragma once

#include <dyad/api/custom_gradient.hpp>
#include <dyad/api/pull.hpp>
#include <dyad/base/decimal.hpp>

namespace dyad {

/// The pullback of y(a), where residual(y, a) = 0: with λ from (∂r/∂y)ᵀ λ = upstream, the cotangents -(∂r/∂a)ᵀ λ.
template <class Residual>
struct implicit_rule {
    [[no_unique_address]] Residual residual;

    /// The cotangents of the arguments, from these, the result and its cotangent.
    template <class... X>
    constexpr auto operator()(const X&... x) const {
        return last_first<2>([this]<class Y, class C, class... S>(const Y& y, const C& upstream, const S&... s) {
            if constexpr (fits<Y, S...>()) return pulled_to_arguments<value_of<Y, C, S...>>(this->residual, this->weights(y, upstream, s...), std::tie(y), s...);
            else return std::tuple{s...};
        }, x...);
    }
    /// What is 0, of the arguments and the result.
    template <class... X>
    constexpr auto dyad_equation(const X&... x) const {
        return last_first<1>([this]<class Y, class... S>(const Y& y, const S&... s) {
            if constexpr (fits<Y, S...>()) return this->residual(y, s...);
            else return y;
        }, x...);
    }
    /// Its cotangents -λ, of what the rule takes.
    template <class... X>
    constexpr auto dyad_equation_cotangents(const X&... x) const {
        return last_first<2>([this]<class Y, class C, class... S>(const Y& y, const C& upstream, const S&... s) {
            if constexpr (fits<Y, S...>()) return this->weights(y, upstream, s...);
            else return y;
        }, x...);
    }

private:
    template <class Y, class C, class... S>
    using value_of = common_value<Y, C, S..., called_with<Residual, Y, S...>>;

    /// Whether the residual can be called so, and gives as many numbers; says what it takes if not.
    template <class Y, class... S>
    static constexpr bool fits() {
        using result = called_with<Residual, Y, S...>;
        constexpr bool called = !std::is_same_v<result, not_given>, gives = called && gives_as_many<result, Y>();
        static_assert(called, "[dyad] implicit_root: the residual cannot be called so; it takes the root and the further arguments: residual(y, args...)");
        static_assert(!called || gives, "[dyad] implicit_root: the residual must return as many numbers as the root has");
        return gives;
    }
    template <class Y, class C, class... S>
    constexpr auto weights(const Y& y, const C& upstream, const S&... s) const {
        using V = value_of<Y, C, S...>;
        constexpr std::size_t n = leaf_count<Y>;
        std::array<std::array<V, n>, n> transposed{};
        for (std::size_t i = 0; i < n; ++i) {
            std::array<std::conditional_t<number<V>, V, int>, n> unit{};
            unit[i] = 1;
            const auto row = pulled_back<V, positions<0>>(residual, unit, y, s...);
            for (std::size_t j = 0; j < n; ++j) transposed[j][i] = row[j];
        }
        std::array<V, n> result = solve_small(transposed, leaf_array<V>(upstream));
        for (V& weight : result) weight = -weight;
        return result;
    }
};

/// The function y(args...) with residual(y, args...) = 0 that `solver(args...)` finds. The solver runs and is never
/// differentiated: it may be a while_loop, or start anywhere. dy/da = -(∂residual/∂y)⁻¹ ∂residual/∂a, in every mode and
/// order. y is a number, or a std::array, std::tuple or aggregate of n of them for as many residuals; the derivative
/// solves an n by n system (elimination with partial pivoting, about n³ operations in the graph: n is small).
/// Derivatives are as good as the root; where ∂residual/∂y is singular they are infinite or NaN. What the residual
/// captures of a function that is differentiated counts like arguments (numbers of a tape it must not capture: pass those). Throws only
/// what the solver throws.
/// Example: `implicit_root([](auto y, auto x) { return y * y - x; }, newton)(2.0)`, a square root
template <class Residual, class Solver>
constexpr auto implicit_root(Residual residual, Solver solver) {
    return custom_gradient(solver, implicit_rule<Residual>{residual});
}

/// When fixed_point stops.
struct fixed_point_options {
    double tolerance = 0; ///< on |x' - x| / max(1, |x'|), for every number; 0: four times the distance of neighbours of 1
    int limit = 10000;    ///< on the number of times that f is called
};

/// x - f(x, args...), flat.
template <class F>
struct fixed_point_residual {
    [[no_unique_address]] F f;

    template <class X, class... S>
    constexpr auto operator()(const X& x, const S&... s) const {
        const auto next = f(x, s...);
        using V = common_value<X, std::remove_cvref_t<decltype(next)>>;
        auto difference = leaf_array<V>(x);
        std::size_t k = 0;
        for_each_leaf([&](const auto& leaf) { difference[k] = difference[k] - leaf; ++k; }, next);
        return difference;
    }
};

/// Iterates.
template <class F, class X>
struct fixed_point_solver {
    [[no_unique_address]] F f;
    X first;
    fixed_point_options options;

    template <class... S>
    constexpr auto operator()(const S&... s) const {
        if constexpr (iterates<S...>()) {
            using given = common_value<X, S...>;
            return iterated<common_value<given, called_with<F, in_leaves<X, given>, S...>>>(s...);
        } else {
            return first; // one mistake, one message
        }
    }

private:
    /// Whether f can be called so, and gives as many numbers; says what it takes if not.
    template <class... S>
    static constexpr bool iterates() {
        if constexpr (solves_for_numbers<X>() && is_without_expressions<S...>()) {
            using next = called_with<F, in_leaves<X, common_value<X, S...>>, S...>;
            constexpr bool called = !std::is_same_v<next, not_given>, fits = called && gives_as_many<next, X>();
            static_assert(called, "[dyad] fixed_point: the function cannot be called so; it takes what it iterates and the further arguments: f(x, args...)");
            static_assert(!called || fits, "[dyad] fixed_point: the function must return as many numbers as it is given");
            return fits;
        } else {
            return false;
        }
    }
    template <class V, class... S>
    constexpr auto iterated(const S&... s) const {
        const double tolerance = options.tolerance > 0 ? options.tolerance : 4 * epsilon_of<V>();
        const int limit = options.limit;
        const auto [last, excess, rounds] = while_loop(
            [&](const auto& state) { return std::get<1>(state) > 0 && std::get<2>(state) < limit; },
            [&](const auto& state) {
                const auto& x = std::get<0>(state);
                const auto next = leaf_array<V>(f(structure_of_leaves<X>(x.data()), s...));
                V most(-1);
                for (std::size_t k = 0; k < x.size(); ++k)
                    most = static_cast<V>(max(most, abs(next[k] - x[k]) - tolerance * max(1, abs(next[k]))));
                return std::tuple{next, most, std::get<2>(state) + 1};
            },
            std::tuple{leaf_array<V>(first), V(1), 0});
        if constexpr (number<V>) {
            if (!(excess <= 0)) refuse(rounds, last);
        }
        return structure_of_leaves<X>(last.data());
    }
    /// (Says the first number that is none, if there is one.)
    template <class V, std::size_t N>
    [[noreturn]] static constexpr void refuse(int rounds, const std::array<V, N>& x) {
        std::size_t which = 0;
        while (which + 1 < N && x[which] == x[which]) ++which;
        if (x[which] == x[which]) which = 0;
        text t("[dyad] fixed_point: no fixed point after ");
        append_decimal(t, rounds);
        t += " rounds; number ";
        append_decimal(t, static_cast<double>(which));
        t += " is ";
        append_decimal(t, static_cast<double>(x[which]));
        throw value_error(t.c_str());
    }
};

/// The function x(args...) with x = f(x, args...) that iteration from x0 finds, differentiated by that equation as
/// implicit_root is (never through the rounds). x0 is a plain number, or a std::array, std::tuple or aggregate of such;
/// it is constant. It ends when no number changes by more than options.tolerance · max(1, |x|). (In a graph of floats the
/// default is that of double: give a tolerance.)
/// Throws value_error on plain numbers and on tapes if that takes more than options.limit calls of f, or x becomes NaN; in
/// a graph the limit just ends the iteration.
/// It holds numbers, so what is given to grad is a function around it, without captures:
/// Example: Kepler's equation, `[](auto e, auto M) { return fixed_point([](auto E, auto e, auto M) { return M + e * sin(E); }, 0.0)(e, M); }`
template <class F, class X>
constexpr auto fixed_point(F f, X x0, fixed_point_options options = {}) {
    return implicit_root(fixed_point_residual<F>{f}, fixed_point_solver<F, X>{f, x0, options});
}

} // namespace dyad
