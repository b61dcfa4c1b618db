// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// How a function is called on active numbers: on such that compute operation by operation (immediate.hpp) if it takes them,
// else on the numbers as they are. What is not made of numbers it gets as it is.
#pragma once

#include <dyad/tape/tree.hpp>

namespace dyad {

/// A tree whose active leaves compute operation by operation, and one whose leaves do not.
template <class S>
decltype(auto) immediate_tree(const S& s) {
    if constexpr (is_number_tree<S>) {
        return map_tree(s, []<class Leaf>(const Leaf& leaf) {
            if constexpr (active_number<Leaf> && !immediate_number<Leaf>) {
                return immediate<Leaf>(leaf);
            } else {
                return leaf;
            }
        });
    } else {
        return (s); // (no copy: data may be large)
    }
}
template <class S>
auto plain_tree(const S& s) {
    if constexpr (is_number_tree<S>) {
        return map_tree(s, []<class Leaf>(const Leaf& leaf) {
            if constexpr (active_number<Leaf> || deferred_value<Leaf>) {
                return typename common_active<Leaf>::type(leaf);
            } else {
                return leaf;
            }
        });
    } else {
        return s;
    }
}
// (Classes: clang 14 dies of a lambda in a decltype that it has precompiled.)
struct leaf_without_immediate {
    template <class Leaf>
    auto operator()(const Leaf& leaf) const {
        return without_immediate(leaf);
    }
};
struct same_leaf {
    template <class Leaf>
    auto operator()(const Leaf& leaf) const {
        return leaf;
    }
};
/// Whether some leaf computes operation by operation.
template <class S>
constexpr bool finds_immediate() {
    if constexpr (is_number_tree<S>) {
        return !std::is_same_v<decltype(map_tree(std::declval<const S&>(), leaf_without_immediate{})), decltype(map_tree(std::declval<const S&>(), same_leaf{}))>;
    } else {
        return false;
    }
}
template <class S>
inline constexpr bool holds_immediate = finds_immediate<S>();
/// A result for arguments of types S: its leaves compute operation by operation if one of theirs does.
template <class... S, class R>
auto as_arguments_compute(const R& result) {
    if constexpr ((holds_immediate<S> || ...)) {
        return immediate_tree(result);
    } else {
        return result;
    }
}

/// (Not std::is_invocable: a shorter chain of instantiations makes for a shorter message.)
template <class F, class... S>
concept takes_immediate = requires(const F& f, const S&... s) { f(immediate_tree(s)...); };
template <class F, class... S>
concept takes_active = takes_immediate<F, S...> || requires(const F& f, const S&... s) { f(s...); };
/// f(arguments...), for any generic body. The result has plain active leaves. (It is taken before the arguments go.)
template <class F, class... S>
auto call_on_active(const F& f, const S&... s) {
    if constexpr (takes_immediate<F, S...>) {
        return plain_tree(rested(f(immediate_tree(s)...)));
    } else {
        return plain_tree(rested(f(s...)));
    }
}
/// Whether what f returns is nothing, where it takes the arguments.
template <class F, class... S>
constexpr bool returns_nothing() {
    if constexpr (takes_immediate<F, S...>) {
        return std::is_void_v<decltype(std::declval<const F&>()(immediate_tree(std::declval<const S&>())...))>;
    } else {
        return std::is_void_v<decltype(std::declval<const F&>()(std::declval<const S&>()...))>;
    }
}
/// Whether `call_on_active` takes f and arguments of types S, and gets a result; says why not.
template <class F, class... S>
constexpr bool callable_on_active() {
    constexpr bool callable = takes_active<F, S...>;
    static_assert(callable, "[dyad] tape: the function cannot be called so; give it as many arguments as it takes (tape_hvp: as a tuple), and let it take numbers as auto or dyad::real, not as double");
    if constexpr (!callable) {
        return false;
    } else {
        constexpr bool returns = !returns_nothing<F, S...>();
        static_assert(returns, "[dyad] tape: the function returns nothing; return what is to be differentiated");
        return returns;
    }
}

} // namespace dyad
