// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Arguments and results of run-time functions as trees of numbers: numbers, std::array, std::vector, std::tuple, std::pair,
// and aggregates that are templates over their members' types, or over the numbers in them. A tree is visited leaf by leaf, or mapped to another one of the
// same structure.
#pragma once

#include <span>
#include <vector>

#include <dyad/base/unpack.hpp>
#include <dyad/tape/active.hpp>
#include <dyad/trace/structure.hpp>

namespace dyad {

template <class S>
inline constexpr bool is_leaf_tree = std::is_arithmetic_v<S> || active_number<S> || deferred_value<S> || eager_number<S>;

/// What a tape has not computed yet becomes a number.
template <class E>
    requires deferred_value<E>
struct at_rest<E> {
    using type = typename E::result_type;
};

/// A tree whose parts another header knows (a container of a library): specialise `visit` and `map`, as for std::vector.
template <class S>
struct tree {
    using by_structure = structure<S>; // (only here, where nobody has specialised it)
    /// An aggregate over numbers: its size is known, so its leaves are taken and put in order.
    template <class F>
    static void visit(const S& s, F&& f) {
        structure<S>::visit(s, f);
    }
    template <class F>
    static auto map(const S& s, F&& f) {
        const auto take = [&]<class Leaf>(const Leaf& leaf) { return f(leaf); };
        using result = decltype(take(first_leaf(s)));
        std::vector<result> results;
        structure<S>::visit(s, [&](const auto& leaf) { results.push_back(take(leaf)); });
        const result* next = results.data();
        const auto give = [&]<class>() { return *next++; };
        return structure<S>::build(give);
    }

private:
    static auto first_leaf(const S&) -> std::tuple_element_t<0, typename structure<S>::leaves>;
};

template <class S>
    requires is_leaf_tree<S>
struct tree<S> {
    template <class F>
    DYAD_INLINE static void visit(const S& s, F&& f) {
        f(s);
    }
    template <class F>
    DYAD_INLINE static auto map(const S& s, F&& f) {
        return f(s);
    }
};

template <class S, class Allocator>
struct tree<std::vector<S, Allocator>> {
    template <class F>
    static void visit(const std::vector<S, Allocator>& s, F&& f) {
        for (const S& part : s) tree<S>::visit(part, f);
    }
    template <class F>
    static auto map(const std::vector<S, Allocator>& s, F&& f) {
        std::vector<decltype(tree<S>::map(s[0], f))> result;
        result.reserve(s.size());
        for (const S& part : s) result.push_back(tree<S>::map(part, f));
        return result;
    }
};

template <class S, std::size_t N>
struct tree<std::array<S, N>> {
    template <class F>
    DYAD_INLINE static void visit(const std::array<S, N>& s, F&& f) {
        for (const S& part : s) tree<S>::visit(part, f);
    }
    template <class F>
    DYAD_INLINE static auto map(const std::array<S, N>& s, F&& f) {
        return [&]<std::size_t... Item>(std::index_sequence<Item...>) DYAD_INLINE_LAMBDA {
            return std::array<decltype(tree<S>::map(s[0], f)), N>{tree<S>::map(s[Item], f)...};
        }(std::make_index_sequence<N>{});
    }
};

/// Borrowed numbers are a vector once they are mapped.
template <class S, std::size_t N>
struct tree<std::span<S, N>> {
    using element = std::remove_const_t<S>;
    template <class F>
    static void visit(std::span<S, N> s, F&& f) {
        for (const element& part : s) tree<element>::visit(part, f);
    }
    template <class F>
    static auto map(std::span<S, N> s, F&& f) {
        std::vector<decltype(tree<element>::map(s[0], f))> result;
        result.reserve(s.size());
        for (const element& part : s) result.push_back(tree<element>::map(part, f));
        return result;
    }
};

template <class... S>
struct tree<std::tuple<S...>> {
    template <class F>
    DYAD_INLINE static void visit(const std::tuple<S...>& s, F&& f) {
        unpack([&](const S&... part) { (tree<S>::visit(part, f), ...); }, s);
    }
    template <class F>
    DYAD_INLINE static auto map(const std::tuple<S...>& s, F&& f) {
        // (Braces: the parts are mapped in order.)
        return unpack([&](const S&... part) { return std::tuple<decltype(tree<S>::map(part, f))...>{tree<S>::map(part, f)...}; }, s);
    }
};

template <class A, class B>
struct tree<std::pair<A, B>> {
    template <class F>
    DYAD_INLINE static void visit(const std::pair<A, B>& s, F&& f) {
        tree<A>::visit(s.first, f);
        tree<B>::visit(s.second, f);
    }
    template <class F>
    DYAD_INLINE static auto map(const std::pair<A, B>& s, F&& f) {
        return std::pair<decltype(tree<A>::map(s.first, f)), decltype(tree<B>::map(s.second, f))>{tree<A>::map(s.first, f),
                                                                                                 tree<B>::map(s.second, f)};
    }
};

template <class S>
struct tree<S&> : tree<std::remove_const_t<S>> {}; // std::tie

/// How many leaves a tree of this type has; `any_size` if that is known at run time only.
inline constexpr std::size_t any_size = ~std::size_t{0};
template <class S>
inline constexpr std::size_t tree_size = structure<S>::size;

/// An aggregate template over numbers and trees of them.
template <class S, class... T>
concept tree_aggregate = std::is_aggregate_v<S> && !std::is_empty_v<S> && !is_array<S> && sizeof...(T) > 0 && has_few_members<S>();
/// Its members, as a tuple.
template <class S>
struct members_as_tuple {
    template <class... Members>
    static auto of(std::tuple<Members...>) -> std::tuple<std::remove_cvref_t<Members>...>;
    using type = decltype(of(members(std::declval<S&>())));
};
template <template <class...> class S, class... T>
    requires tree_aggregate<S<T...>, T...>
struct tree<S<T...>> {
    template <class F>
    static void visit(const S<T...>& s, F&& f) {
        unpack([&]<class... Part>(const Part&... part) { (tree<Part>::visit(part, f), ...); }, members(s));
    }
    template <class F>
    static auto map(const S<T...>& s, F&& f) {
        using result = S<decltype(tree<T>::map(std::declval<const T&>(), f))...>;
        return unpack([&]<class... Part>(const Part&... part) { return result{tree<Part>::map(part, f)...}; }, members(s));
    }
};

/// f(leaf) for each leaf, in order.
template <class S, class F>
DYAD_INLINE void visit_tree(const S& s, F&& f) {
    tree<S>::visit(s, f);
}
/// The tree of f(leaf), in order.
template <class S, class F>
DYAD_INLINE auto map_tree(const S& s, F&& f) {
    return tree<S>::map(s, f);
}

/// The active number among the leaves of a tree, that of the highest level; void if there is none.
template <class S>
struct tree_number {
    template <class... Leaves>
    static auto of(std::type_identity<std::tuple<Leaves...>>) -> common_active<Leaves..., int>;
    using type = typename decltype(of(std::type_identity<typename structure<S>::leaves>{}))::type;
};
template <class S>
    requires is_leaf_tree<S>
struct tree_number<S> : common_active<S> {};
template <class S, class Allocator>
struct tree_number<std::vector<S, Allocator>> : tree_number<S> {};
template <class S, std::size_t N>
struct tree_number<std::array<S, N>> : tree_number<S> {};
template <class S, std::size_t N>
struct tree_number<std::span<S, N>> : tree_number<std::remove_const_t<S>> {};

template <class... S>
struct tree_number<std::tuple<S...>>
    : common_active<std::conditional_t<std::is_void_v<typename tree_number<S>::type>, int, typename tree_number<S>::type>..., int> {};
template <class A, class B>
struct tree_number<std::pair<A, B>> : tree_number<std::tuple<A, B>> {};

template <class S>
struct tree_number<S&> : tree_number<std::remove_const_t<S>> {};
template <template <class...> class S, class... T>
    requires tree_aggregate<S<T...>, T...>
struct tree_number<S<T...>> : tree_number<typename members_as_tuple<S<T...>>::type> {};

template <class... S>
using tree_number_t = typename tree_number<std::tuple<S...>>::type;

/// Whether each part of a tree has a recorded number.
template <class S>
inline constexpr bool is_recorded_tree = !std::is_void_v<typename tree_number<S>::type>;
template <class... S>
inline constexpr bool is_recorded_tree<std::tuple<S...>> = (is_recorded_tree<S> && ...);
template <class A, class B>
inline constexpr bool is_recorded_tree<std::pair<A, B>> = is_recorded_tree<A> && is_recorded_tree<B>;
template <class S>
inline constexpr bool is_recorded_tree<S&> = is_recorded_tree<std::remove_const_t<S>>;

/// The type of its value; double if there is none.
template <class... S>
struct tree_value {
    using type = double;
};
template <class... S>
    requires(!std::is_void_v<tree_number_t<S...>>)
struct tree_value<S...> {
    using type = typename tree_number_t<S...>::value_type;
};
template <class... S>
using tree_value_t = typename tree_value<S...>::type;

/// A bool computes as an int does.
template <class X>
using without_bool = std::conditional_t<std::is_same_v<X, bool>, int, X>;

/// The number type of the leaves of a tree of plain numbers, the common one if they differ; of one of active numbers these.
template <class S>
struct tree_leaf {
    template <class... Leaves>
    static auto of(std::type_identity<std::tuple<Leaves...>>) -> common_real_t<without_bool<Leaves>..., int>;
    using type = decltype(of(std::type_identity<typename structure<S>::leaves>{}));
};
template <class S>
    requires is_leaf_tree<S>
struct tree_leaf<S> {
    using type = S;
};
template <class S>
struct tree_leaf<S&> : tree_leaf<std::remove_const_t<S>> {};
template <class S, class Allocator>
struct tree_leaf<std::vector<S, Allocator>> : tree_leaf<S> {};
template <class S, std::size_t N>
struct tree_leaf<std::array<S, N>> : tree_leaf<S> {};
template <class S, std::size_t N>
struct tree_leaf<std::span<S, N>> : tree_leaf<std::remove_const_t<S>> {};
template <class... S>
struct tree_leaf<std::tuple<S...>> {
    static auto pick() {
        if constexpr (std::is_void_v<tree_number_t<S...>>) {
            return std::type_identity<common_real_t<without_bool<typename tree_leaf<S>::type>..., int>>{};
        } else {
            return std::type_identity<tree_number_t<S...>>{};
        }
    }
    using type = typename decltype(pick())::type;
};
template <class A, class B>
struct tree_leaf<std::pair<A, B>> : tree_leaf<std::tuple<A, B>> {};
template <template <class...> class S, class... T>
    requires tree_aggregate<S<T...>, T...>
struct tree_leaf<S<T...>> : tree_leaf<typename members_as_tuple<S<T...>>::type> {};

/// Whether all parts are numbers; anything else is data, which a function gets as they are.
template <class S>
constexpr bool only_numbers() {
    if constexpr (std::is_empty_v<S> || std::is_array_v<S>) {
        return false;
    } else {
        using leaf = typename tree_leaf<S>::type;
        constexpr bool known = !requires { typename tree<S>::by_structure; }; // a container whose leaves nobody named
        return is_leaf_tree<leaf> || (known && std::is_same_v<leaf, S>);
    }
}
template <class S>
inline constexpr bool is_number_tree = only_numbers<S>();
template <class S>
    requires is_leaf_tree<S>
inline constexpr bool is_number_tree<S> = true;
template <class S, class Allocator>
inline constexpr bool is_number_tree<std::vector<S, Allocator>> = is_number_tree<S>;
template <class S, std::size_t N>
inline constexpr bool is_number_tree<std::array<S, N>> = is_number_tree<S>;
template <class... S>
inline constexpr bool is_number_tree<std::tuple<S...>> = (is_number_tree<S> && ...);
template <class A, class B>
inline constexpr bool is_number_tree<std::pair<A, B>> = is_number_tree<A> && is_number_tree<B>;
template <class S>
inline constexpr bool is_number_tree<S&> = is_number_tree<std::remove_const_t<S>>;
template <template <class...> class S, class... T>
    requires tree_aggregate<S<T...>, T...>
inline constexpr bool is_number_tree<S<T...>> = is_number_tree<typename members_as_tuple<S<T...>>::type>;

constexpr std::size_t size_times(std::size_t a, std::size_t b) {
    return a == any_size || b == any_size ? any_size : a * b;
}
constexpr std::size_t size_plus(std::size_t a, std::size_t b) {
    return a == any_size || b == any_size ? any_size : a + b;
}
template <class S>
    requires is_leaf_tree<S>
inline constexpr std::size_t tree_size<S> = 1;
template <class S, class Allocator>
inline constexpr std::size_t tree_size<std::vector<S, Allocator>> = any_size;
template <class S, std::size_t N>
inline constexpr std::size_t tree_size<std::span<S, N>> = any_size;
template <class S, std::size_t N>
inline constexpr std::size_t tree_size<std::array<S, N>> = size_times(N, tree_size<S>);
template <class... S>
inline constexpr std::size_t tree_size<std::tuple<S...>> = [] {
    std::size_t sum = 0;
    ((sum = size_plus(sum, tree_size<S>)), ...);
    return sum;
}();
template <class A, class B>
inline constexpr std::size_t tree_size<std::pair<A, B>> = size_plus(tree_size<A>, tree_size<B>);
template <class S>
inline constexpr std::size_t tree_size<S&> = tree_size<std::remove_const_t<S>>;
template <template <class...> class S, class... T>
    requires tree_aggregate<S<T...>, T...>
inline constexpr std::size_t tree_size<S<T...>> = tree_size<typename members_as_tuple<S<T...>>::type>;

} // namespace dyad
