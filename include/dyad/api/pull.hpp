// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What rules for implicit functions are written with: structures as flat arrays of one type, pullbacks of a function at
// whatever numbers a rule meets (plain, traced, on a tape), and a small linear solve over any of them.
#pragma once

#include <limits>

#include <dyad/api/custom_gradient.hpp>
#include <dyad/base/unpack.hpp>

namespace dyad {

/// The pullback of a function at numbers that record (api/tape_custom.hpp, complete once tape.hpp is included).
template <class Positions>
struct tape_pull;

template <class... Leaves>
auto common_value_of(std::type_identity<std::tuple<Leaves...>>)
    -> round_type<int, std::remove_cvref_t<decltype((std::declval<int>() + ... + std::declval<const Leaves&>()))>>;
/// The type that the leaves of structures compute in together: a real number, a traced value or a number on a tape.
template <class... S>
using common_value = common_real_t<typename decltype(common_value_of(std::type_identity<leaf_types<S...>>{}))::type>;

/// What f returns for such arguments; not_given where it cannot be called so.
template <class F, class... S>
using called_with = typename given_by<std::invoke_result<const F&, const S&...>>::type;
/// The structure Y with leaves of type V.
template <class Y, class V>
using in_leaves = decltype(structure_of_leaves<Y>(static_cast<const V*>(nullptr)));
/// Whether R, what a function returned, has as many numbers as Y.
template <class R, class Y>
constexpr bool gives_as_many() {
    if constexpr (std::is_void_v<R> || refused_argument<R>) {
        return false;
    } else {
        return leaf_count<R> == leaf_count<Y>;
    }
}
/// Whether what is solved for, Y, is made of numbers; says so if not.
template <class Y>
constexpr bool solves_for_numbers() {
    constexpr bool numbers = !refused_argument<Y> && !has_array<Y>;
    static_assert(numbers, "[dyad] implicit_root, fixed_point, odeint: what is solved for is a number, or a std::array, std::tuple, std::pair or aggregate of numbers");
    return numbers;
}

/// Whether no argument is an expression, whose type would be the whole iteration; says so if one is.
template <class... S>
constexpr bool is_without_expressions() {
    constexpr bool without = !has_eager<S...>;
    static_assert(without, "[dyad] fixed_point, odeint: they take no variables, and do not stand in a function that captures; pass what it captures as arguments, and choose with grad<...>");
    return without;
}

/// `call` of the last `Count` of x, then of those before.
template <std::size_t Count, class Call, class... X>
constexpr auto last_first(const Call& call, const X&... x) {
    constexpr std::size_t before = sizeof...(X) - Count;
    const auto all = std::tie(x...);
    return [&]<std::size_t... Last, std::size_t... Item>(std::index_sequence<Last...>, std::index_sequence<Item...>) {
        return call(std::get<before + Last>(all)..., std::get<Item>(all)...);
    }(std::make_index_sequence<Count>{}, std::make_index_sequence<before>{});
}

/// The relative distance of neighbouring numbers; that of double where the type is not known yet.
template <class V>
constexpr double epsilon_of() {
    if constexpr (number<V>) {
        return static_cast<double>(std::numeric_limits<V>::epsilon());
    } else {
        return std::numeric_limits<double>::epsilon();
    }
}

/// The leaves of structures, in order, as V.
template <class V, class... S>
constexpr std::array<V, leaf_count<S...>> leaf_array(const S&... s) {
    std::array<V, leaf_count<S...>> leaves{};
    std::size_t next = 0;
    for_each_leaf([&](const auto& leaf) { leaves[next++] = static_cast<V>(leaf); }, s...);
    if constexpr (traced_value<V>) {
        for (const V& leaf : leaves) refuse_array_leaf(leaf);
    }
    return leaves;
}

/// The positions, counted from `First`, of arguments that have derivatives.
template <class... S>
constexpr auto find_real() {
    std::array<std::size_t, sizeof...(S) + 1> at{};
    std::size_t count = 0, position = 0;
    ((all_real<S>() ? static_cast<void>(at[count++] = position++) : static_cast<void>(++position)), ...);
    return std::pair{at, count};
}
/// Whether an argument's leaves are all real numbers, or none: a rule has a cotangent for arguments as a whole.
template <class S>
constexpr bool is_of_one_kind() {
    using leaves = typename every_leaf<S>::type;
    constexpr bool mixed = !all_real<S>() && []<class... Leaf>(std::type_identity<std::tuple<Leaf...>>) { return (all_real<Leaf>() || ...); }(std::type_identity<leaves>{});
    static_assert(!mixed, "[dyad] implicit_root, fixed_point, odeint_adjoint: an argument has whole numbers among those with derivatives; pass the whole numbers as an argument of their own");
    return !mixed;
}
template <std::size_t First, class... S>
constexpr auto real_positions() {
    static_assert((is_of_one_kind<S>() && ...));
    return []<std::size_t... K>(std::index_sequence<K...>) {
        return positions<First + find_real<S...>().first[K]...>{};
    }(std::make_index_sequence<find_real<S...>().second>{});
}

/// Jᵀ·cotangent of f at the arguments, by those at the positions, which are at least one: the flat leaves.
template <class V, class Positions, class F, class C, class... S>
constexpr auto pulled_back(const F& f, const C& cotangent, const S&... s) {
    std::array<V, chosen_leaves<S...>(Positions{})> result{};
    // (Plain numbers come from a tape, the function captures: run on expressions it would be compiled for types of their own.)
    if constexpr (any_records(std::type_identity<leaf_types<C, S...>>{}) || (!stateless<F> && !has_leaf<tracer, C, S...>)) {
        result = leaf_array<V>(tape_pull<Positions>::run(f, cotangent, s...));
    } else {
        const auto leaves = run_transform<transform::vjp, Positions>(f, std::tuple<const C&>(cotangent), s...);
        for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<V>(leaves[i]);
    }
    return result;
}

/// The same by all of the arguments s from the `First`-th on that have derivatives, before which stand `others`; whole
/// numbers have the cotangent 0.
template <class V, class F, class C, class... Others, class... S>
constexpr std::array<V, leaf_count<S...>> pulled_to_arguments(const F& f, const C& cotangent, const std::tuple<Others...>& others, const S&... s) {
    std::array<V, leaf_count<S...>> result{};
    using by = decltype(real_positions<sizeof...(Others), S...>());
    if constexpr (!std::same_as<by, positions<>>) {
        const auto pulled = unpack([&](const auto&... o) { return pulled_back<V, by>(f, cotangent, o..., s...); }, others);
        std::size_t at = 0, from = 0;
        const auto take = [&]<class Part>(std::type_identity<Part>) {
            for (std::size_t k = 0; k < leaf_count<Part>; ++k, ++at) {
                if constexpr (all_real<Part>()) result[at] = pulled[from++];
            }
        };
        (take(std::type_identity<S>{}), ...);
    }
    return result;
}

/// x with A x = b, by Gaussian elimination; the pivot is the largest element of its column, and rows are exchanged by
/// `where`, so that values decide in a graph too. A singular A gives what division by 0 gives.
template <class V, std::size_t N>
constexpr std::array<V, N> solve_small(std::array<std::array<V, N>, N> A, std::array<V, N> b) {
    const auto exchange = [](const auto& condition, V& x, V& y) {
        const V first = where(condition, y, x);
        y = where(condition, x, y);
        x = first;
    };
    for (std::size_t k = 0; k < N; ++k) {
        for (std::size_t i = k + 1; i < N; ++i) {
            const auto larger = abs(A[i][k]) > abs(A[k][k]);
            for (std::size_t j = k; j < N; ++j) exchange(larger, A[k][j], A[i][j]);
            exchange(larger, b[k], b[i]);
        }
        for (std::size_t i = k + 1; i < N; ++i) {
            const V factor = A[i][k] / A[k][k];
            for (std::size_t j = k + 1; j < N; ++j) A[i][j] = A[i][j] - factor * A[k][j];
            b[i] = b[i] - factor * b[k];
        }
    }
    for (std::size_t k = N; k-- > 0;) {
        for (std::size_t j = k + 1; j < N; ++j) b[k] = b[k] - A[k][j] * b[j];
        b[k] = b[k] / A[k][k];
    }
    return b;
}

} // namespace dyad
