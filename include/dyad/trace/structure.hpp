// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Arguments and results as trees of numbers: arrays, tuples, pairs, and aggregates that are templates over
// their number type. Flattened, the leaves are the inputs and outputs of a graph; rebuilt over another leaf
// type, the same tree holds traced values, gradients or tangents.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include <dyad/base/reject.hpp>
#include <dyad/base/unpack.hpp>
#include <dyad/op/operand.hpp>
#include <dyad/trace/aggregate.hpp>

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// What a graph's input or output stands for.
template <class T>
concept leaf_type = is_array<T> || std::same_as<T, bool> || operand<T>;

/// A tuple-like thing whose parts are those of s: s itself, or the members of an aggregate.
template <class S>
constexpr decltype(auto) parts_of(S& s) {
    if constexpr (requires { std::tuple_size<std::remove_const_t<S>>::value; }) {
        return (s);
    } else {
        return members(s);
    }
}

/// What a value is kept as where what it was made of is gone: itself; a container's lazy expression, which refers to that, as the
/// container (array/xtensor.hpp, api/tape_array_functions.hpp).
template <class X>
struct at_rest {
    using type = X;
};
template <class... X>
struct at_rest<std::tuple<X...>> {
    using type = std::tuple<typename at_rest<X>::type...>;
};
template <class X, class Y>
struct at_rest<std::pair<X, Y>> {
    using type = std::pair<typename at_rest<X>::type, typename at_rest<Y>::type>;
};
template <class X>
using at_rest_t = typename at_rest<std::remove_cvref_t<X>>::type;
template <class... X>
concept is_at_rest = (std::is_same_v<at_rest_t<X>, X> && ...);
/// x itself, or what it is kept as: `at_rest<X>::made(x)`, where that is no conversion.
template <class X>
DYAD_FN constexpr decltype(auto) rested(const X& x) {
    if constexpr (is_at_rest<X>) {
        return (x);
    } else if constexpr (requires { at_rest<X>::made(x); }) {
        return at_rest<X>::made(x);
    } else if constexpr (requires { std::tuple_size<X>::value; }) {
        return unpack([](const auto&... part) { return at_rest_t<X>(rested(part)...); }, x);
    } else {
        return at_rest_t<X>(x);
    }
}
/// What f returns, at rest: of what is that already nothing is moved.
template <class F, class... S>
DYAD_FN constexpr auto rested_call(const F& f, const S&... s) {
    if constexpr (is_at_rest<std::remove_cvref_t<std::invoke_result_t<const F&, const S&...>>>) {
        return f(s...);
    } else {
        return rested(f(s...));
    }
}

template <class... Tuples>
using concatenated = decltype(std::tuple_cat(std::declval<Tuples>()...));

/// Whether an aggregate has more members than can be named, none of them an array, whose elements would count.
template <class S>
constexpr bool is_large() {
    if constexpr (std::is_class_v<S> && std::is_aggregate_v<S>) {
        return !has_few_members<S>() && comes_apart<S>();
    } else {
        return false;
    }
}

/// How to walk a type: `leaves` are their types; `size` leaves; `visit(s, f)` calls f(leaf) in order; `build(f)` makes the same tree of
/// f.template operator()<Leaf>(), called in order.
template <class S>
struct structure {
    using leaves = std::tuple<S>;
    static constexpr std::size_t size = 1;
    template <class T, class F>
    static constexpr void visit(T&, F&&) {
        refuse();
    }
    template <class F>
    static constexpr auto build(F&&) {
        return refuse();
    }
    /// Says why S is not taken; only types that are not taken have it.
    static constexpr bool refuse() {
        constexpr bool recorded = is_recorded_array<S>;
        static_assert(!recorded, "[dyad] argument: a transform computes with arrays of plain numbers, and nothing would be recorded of this one's; "
                                 "tape.apply(dyad::grad(f), x) records what it computes");
        constexpr bool large = is_large<S>();
        static_assert(!large, "[dyad] argument: an aggregate needs one to sixteen members; nest smaller ones");
        static_assert(recorded || large, "[dyad] argument or result: its type is neither a number nor a std::array, std::tuple, std::pair or "
                                "aggregate template whose members are its parameters, nor (with dyad/array.hpp) an array of numbers; pass one of these");
        return false;
    }
};
template <class S>
concept refused_argument = requires { structure<S>::refuse(); };
template <class S>
constexpr bool taken() {
    if constexpr (refused_argument<S>) {
        return structure<S>::refuse();
    } else {
        return true;
    }
}

template <leaf_type S>
struct structure<S> {
    using leaves = std::tuple<S>;
    static constexpr std::size_t size = 1;
    template <class T, class F>
    DYAD_FN DYAD_INLINE static constexpr void visit(T& leaf, F&& f) {
        f(leaf);
    }
    template <class F>
    DYAD_FN DYAD_INLINE static constexpr auto build(F&& f) {
        return f.template operator()<S>();
    }
};

/// What std::tie and std::forward_as_tuple hold; the same tree has values.
template <class S>
struct structure<S&> : structure<std::remove_const_t<S>> {};
template <class S>
struct structure<S&&> : structure<std::remove_const_t<S>> {};

template <class S, std::size_t N>
struct structure<std::array<S, N>> {
    using leaves = typename structure<S>::leaves;
    static constexpr std::size_t size = N * structure<S>::size;
    template <class T, class F>
    DYAD_FN DYAD_INLINE static constexpr void visit(T& s, F&& f) {
        DYAD_UNROLL_SMALL
        for (auto& part : s) structure<S>::visit(part, f);
    }
    template <class F>
    DYAD_FN DYAD_INLINE static constexpr auto build(F&& f) {
        return [&]<std::size_t... Item>(std::index_sequence<Item...>) {
            using leaf = decltype(structure<S>::build(f));
            return std::array<leaf, N>{(static_cast<void>(Item), structure<S>::build(f))...};
        }(std::make_index_sequence<N>{});
    }
};

template <class... S>
struct structure<std::tuple<S...>> {
    using leaves = concatenated<typename structure<S>::leaves...>;
    static constexpr std::size_t size = (std::size_t{0} + ... + structure<S>::size);
    template <class T, class F>
    DYAD_FN DYAD_INLINE static constexpr void visit(T& s, F&& f) {
        unpack([&](auto&... part) { (structure<S>::visit(part, f), ...); }, s);
    }
    // (Not marked for devices: the constructors of tuples and pairs are not, of which nvcc warns without saying where.)
    template <class F>
    DYAD_INLINE static constexpr auto build(F&& f) {
        return std::tuple<decltype(structure<S>::build(f))...>{structure<S>::build(f)...};
    }
};

template <class A, class B>
struct structure<std::pair<A, B>> {
    using leaves = concatenated<typename structure<A>::leaves, typename structure<B>::leaves>;
    static constexpr std::size_t size = structure<A>::size + structure<B>::size;
    template <class T, class F>
    DYAD_FN DYAD_INLINE static constexpr void visit(T& s, F&& f) {
        structure<A>::visit(s.first, f);
        structure<B>::visit(s.second, f);
    }
    template <class F>
    DYAD_INLINE static constexpr auto build(F&& f) {
        using result = std::pair<decltype(structure<A>::build(f)), decltype(structure<B>::build(f))>;
        return result{structure<A>::build(f), structure<B>::build(f)};
    }
};

/// S with every leaf as `F` makes it.
template <class S, class F>
using built = decltype(structure<S>::build(std::declval<F&>()));

/// An aggregate template over types of leaves, or trees of them; `Rebind<F>::type` is the same over what F makes of these.
template <class S, template <class> class Rebind>
struct aggregate_structure {
    using member_types = decltype(members(std::declval<S&>()));
    template <std::size_t Item>
    using member = structure<std::remove_cvref_t<std::tuple_element_t<Item, member_types>>>;
    static constexpr auto indices = std::make_index_sequence<std::tuple_size_v<member_types>>{};
    static constexpr auto bases = std::make_index_sequence<form_of<S>.bases>{};

    template <std::size_t... Item>
    static auto leaves_of(std::index_sequence<Item...>) -> concatenated<typename member<Item>::leaves...>;
    using leaves = decltype(leaves_of(indices));
    static constexpr std::size_t size = []<std::size_t... Item>(std::index_sequence<Item...>) {
        return (std::size_t{0} + ... + member<Item>::size);
    }(indices);
    template <class A, class F>
    DYAD_FN DYAD_INLINE static constexpr void visit(A& s, F&& f) {
        [&]<std::size_t... Item>(std::index_sequence<Item...>) {
            auto parts = members(s);
            (member<Item>::visit(std::get<Item>(parts), f), ...);
        }(indices);
    }
    template <class F>
    DYAD_FN DYAD_INLINE static constexpr auto build(F&& f) {
        return [&]<std::size_t... B, std::size_t... Item>(std::index_sequence<B...>, std::index_sequence<Item...>) {
            return typename Rebind<F>::type{empty_base<B>{}..., member<Item>::build(f)...};
        }(bases, indices);
    }
};

/// Whether an aggregate can be made anew over other leaves: a member of a type of its own, not a parameter's, cannot hold them.
struct other_leaf {};
struct other_leaf_maker {
    template <class Leaf>
    other_leaf operator()();
};
template <class S, template <class> class Rebind>
constexpr bool is_rebuilt() {
    using aggregate = aggregate_structure<S, Rebind>;
    return []<std::size_t... B, std::size_t... Item>(std::index_sequence<B...>, std::index_sequence<Item...>) {
        return requires(other_leaf_maker f) { static_cast<void>(typename Rebind<other_leaf_maker>::type{empty_base<B>{}..., aggregate::template member<Item>::build(f)...}); };
    }(aggregate::bases, aggregate::indices);
}

template <template <class...> class S, class... T>
struct rebind_types {
    template <class F>
    struct with {
        using type = S<built<T, F>...>;
    };
};
template <template <class...> class S, class... T>
    requires(std::is_aggregate_v<S<T...>> && !std::is_empty_v<S<T...>> && !is_array<S<T...>> && has_few_members<S<T...>>() && comes_apart<S<T...>>() && is_rebuilt<S<T...>, rebind_types<S, T...>::template with>())
struct structure<S<T...>> : aggregate_structure<S<T...>, rebind_types<S, T...>::template with> {};

/// An aggregate over one type, and sizes or other constants of any type.
template <template <class, auto...> class S, class T, auto... N>
struct rebind_sized {
    template <class F>
    struct with {
        using type = S<built<T, F>, N...>;
    };
};
template <class S>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;
template <template <class, auto...> class S, class T, auto... N>
    requires(sizeof...(N) > 0 && std::is_aggregate_v<S<T, N...>> && !std::is_empty_v<S<T, N...>> && !is_std_array<S<T, N...>> && !leaf_type<S<T, N...>> && has_few_members<S<T, N...>>() && comes_apart<S<T, N...>>() && is_rebuilt<S<T, N...>, rebind_sized<S, T, N...>::template with>())
struct structure<S<T, N...>> : aggregate_structure<S<T, N...>, rebind_sized<S, T, N...>::template with> {};

template <class List, std::size_t N>
struct repeated;
template <class... Leaf, std::size_t N>
struct repeated<std::tuple<Leaf...>, N> {
    template <std::size_t... Item>
    static auto times(std::index_sequence<Item...>) -> concatenated<std::conditional_t<Item == N, void, std::tuple<Leaf...>>...>;
    using type = decltype(times(std::make_index_sequence<N>{}));
};
/// The types of all leaves of a structure, in order. (`leaves` names those of an array once.)
template <class S>
struct every_leaf {
    template <class... Members>
    static auto of_members(std::tuple<Members...>) -> concatenated<typename every_leaf<std::remove_cvref_t<Members>>::type...>;
    using type = decltype(of_members(std::declval<decltype(members(std::declval<S&>()))>()));
};
template <leaf_type S>
struct every_leaf<S> {
    using type = std::tuple<S>;
};
template <class S>
struct every_leaf<S&> : every_leaf<std::remove_const_t<S>> {};
template <class S, std::size_t N>
struct every_leaf<std::array<S, N>> {
    using type = typename repeated<typename every_leaf<S>::type, N>::type;
};
template <class... S>
struct every_leaf<std::tuple<S...>> {
    using type = concatenated<typename every_leaf<S>::type...>;
};
template <class A, class B>
struct every_leaf<std::pair<A, B>> {
    using type = concatenated<typename every_leaf<A>::type, typename every_leaf<B>::type>;
};

/// Whether two types are trees of one form, whatever their leaves are; where one is not taken, that is said elsewhere.
template <class A, class B>
constexpr bool same_structure() {
    if constexpr (refused_argument<A> || refused_argument<B>) {
        return true;
    } else if constexpr (leaf_type<A> || leaf_type<B>) {
        return leaf_type<A> && leaf_type<B>;
    } else if constexpr (is_std_array<A> && is_std_array<B>) {
        return std::tuple_size_v<A> == std::tuple_size_v<B> && same_structure<typename A::value_type, typename B::value_type>();
    } else {
        using parts = std::remove_cvref_t<decltype(parts_of(std::declval<A&>()))>;
        using others = std::remove_cvref_t<decltype(parts_of(std::declval<B&>()))>;
        if constexpr (std::tuple_size_v<parts> == std::tuple_size_v<others>) {
            return []<std::size_t... Item>(std::index_sequence<Item...>) {
                return (same_structure<std::remove_cvref_t<std::tuple_element_t<Item, parts>>, std::remove_cvref_t<std::tuple_element_t<Item, others>>>() && ...);
            }(std::make_index_sequence<std::tuple_size_v<parts>>{});
        } else {
            return false;
        }
    }
}

/// The number of leaves.
template <class... S>
inline constexpr std::size_t leaf_count = (std::size_t{0} + ... + structure<S>::size);
/// The number of leaves before item number `Item` of a tuple of S.
template <std::size_t Item, class... S>
constexpr std::size_t leaves_before() {
    const std::size_t sizes[] = {structure<S>::size...};
    std::size_t before = 0;
    for (std::size_t k = 0; k < Item; ++k) before += sizes[k];
    return before;
}

/// Calls f(leaf) for each leaf of each argument, in order.
template <class F, class... S>
DYAD_FN DYAD_INLINE constexpr void for_each_leaf(F&& f, const S&... s) {
    (structure<S>::visit(s, f), ...);
}

/// The leaves of structures as numbers from `to` on. (Each structure's from a place that is known, not from where the loop over the
/// one before ended.)
template <class T>
DYAD_FN DYAD_INLINE constexpr void write_leaves(T*) {}
template <class T, class First, class... Rest>
DYAD_FN DYAD_INLINE constexpr void write_leaves(T* to, const First& first, const Rest&... rest) {
    T* next = to;
    for_each_leaf([&](const auto& leaf) { *next++ = to_value<T>(leaf); }, first);
    write_leaves(to + structure<First>::size, rest...);
}
/// The leaves of structures as numbers of the type they compute in.
template <class T, class... S>
DYAD_FN DYAD_INLINE constexpr auto flat_inputs(const S&... s) {
    std::array<T, leaf_count<S...>> inputs; // (not zeroed first: compilers do not see that it is in vain)
    write_leaves(inputs.data(), s...);
    return inputs;
}

/// The types of the leaves of several arguments, once for each array.
template <class... S>
using leaf_types = concatenated<typename structure<S>::leaves...>;

template <class T, class... Leaves>
constexpr bool any_leaf_is(std::type_identity<std::tuple<Leaves...>>) {
    return (std::same_as<T, Leaves> || ...);
}

/// Whether one of the leaves is a `T`.
template <class T, class... S>
inline constexpr bool has_leaf = any_leaf_is<T>(std::type_identity<leaf_types<S...>>{});

template <class... Leaves>
auto common_of(std::type_identity<std::tuple<Leaves...>>)
    -> common_real<at_rest_t<std::conditional_t<std::same_as<Leaves, bool>, int, Leaves>>..., int>;

/// The number type that the leaves of these types compute in together; double if none of them is real.
template <class... S>
using common_leaf = typename decltype(common_of(std::type_identity<leaf_types<S...>>{}))::type;

} // namespace dyad
DYAD_BOTH_SIDES_END
