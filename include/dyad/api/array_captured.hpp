// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Functions of arrays with captured numbers and arrays: run once on expressions, whose leaves are the arguments, borrowed
// for the call, and what is captured. What comes out is a program like that of any other function, and its inputs.
#pragma once

#include <dyad/api/call.hpp>
#include <dyad/array/eager_call.hpp>
#include <dyad/base/unpack.hpp>

namespace dyad {

template <class F, std::size_t First, array_like S>
struct expression_argument<F, First, S> {
    using traits = array_traits<S>;
    using leaf_type = leaf<argument_name<F, First>(), array_value<typename traits::element, traits::rank, traits::ones>>;
    static auto make(const S& s) {
        return array_leaf_expr<leaf_type>(flat_tuple<leaf_type>(leaf_type{{nullptr, traits::reference(s)}, &argument_identity<F>}));
    }
};
template <array_like S>
inline constexpr bool expressible<S> = true;

template <eager E>
struct array_among_expressions<E> {
    using expression = decltype(to_expression(std::declval<const E&>()));
    static constexpr node made = expression::program::graph.nodes[expression::program::graph.outputs[0]];
    template <class Element>
    using value = array_value<Element, made.rank, made.ones>;
    template <class Element = std::conditional_t<expression::is_condition(), bool, typename expression::number_type>>
    static auto of_shape(const E& e) {
        value<Element> shape;
        const run_time_shape sizes = shape_of_value(to_expression(e));
        for (unsigned k = 0; k < made.rank; ++k) shape.elements.size[k] = sizes.size[k];
        shape.elements.set_row_major();
        return shape;
    }
};
template <array_like A>
struct array_among_expressions<A> {
    static auto of_shape(const A& a) {
        using traits = array_traits<A>;
        return array_value<typename traits::element, traits::rank, traits::ones>{nullptr, traits::reference(a)};
    }
    static auto operand(const A& a) { return as_operand<false>(a); }
};

/// The inputs of a captured function's program, also those that it does not use.
template <class... Leaves>
constexpr list<node> nodes_of_leaves(leaf_list<Leaves...>) {
    builder b;
    std::uint32_t next = 0;
    const auto add = [&](leaf_facts f) { b.input(next++, f.type, f.shape); };
    (add(facts_of_leaf<typename Leaves::value_type>()), ...);
    return b.nodes;
}
template <class Joined, class Leaves>
struct captured_arrays {
    static constexpr const auto& graph = Joined::graph;
    static constexpr list<node> inputs() { return nodes_of_leaves(Leaves{}); }
};
/// A transform of such a program, by arguments of types S.
template <class Source, transform K, class Wrt, class... S>
struct derived_captured {
    struct chosen {
        constexpr list<std::uint32_t> operator()() const { return inputs_at<S...>(typename chosen_positions<Wrt, sizeof...(S)>::type{}); }
    };
    using derived = derived_arrays<Source, K, chosen, default_policy>;
    using function = typename derived::function;
    using with_bodies = typename derived::with_bodies;
    static constexpr const auto& graph = derived::graph;
    static constexpr list<node> inputs() { return Source::inputs(); }
    static constexpr list<std::uint32_t> directions() { return derived::directions(); }
};
/// A transform of a transform is a pass after a pass.
template <class F>
struct peeled_arrays {
    template <class Source, class... S>
    using program = Source;
};
template <transform K, class Wrt, class F>
struct peeled_arrays<transformed<K, Wrt, F>> {
    template <class Source, class... S>
    using program = derived_captured<typename peeled_arrays<F>::template program<Source, S...>, K, Wrt, S...>;
};

/// What F's innermost function gives on expressions.
template <class F, class... S>
using captured_result = std::remove_cvref_t<decltype(unpack(peeled<F>::innermost(std::declval<const F&>()), expression_arguments<F>(std::declval<const S&>()...)))>;

/// Calls use.operator()<Source>(leaves) with the program of F's innermost function and the values of its leaves, those of
/// the arguments first. `Name` names them.
template <class Name, class F, class... S, class Use>
auto with_named_captures(const F& f, const Use& use, const S&... s) {
    return with_named_expressions<Name>(f, [&]<class Joined, class Leaves>(const auto& leaves) { return use.template operator()<captured_arrays<Joined, Leaves>>(leaves); }, s...);
}
template <class F, class... S, class Use>
auto with_captured(const F& f, const Use& use, const S&... s) {
    return with_named_captures<F>(f, use, s...);
}
/// The number type that leaves and other values compute in.
template <class Leaves, class... D>
struct captured_number;
template <class... Leaf, class... D>
struct captured_number<flat_tuple<Leaf...>, D...> {
    using type = computing_type<typename Leaf::value_type..., D...>;
};
/// Leaves' values as the arguments of a program.
template <class T, class Leaves>
auto flat_values(const Leaves& leaves) {
    return unpack([](const auto&... leaf) { return flat_leaves<T>(leaf.value...); }, leaves);
}

/// Whether a function with captured values can be called so; says why not.
template <class F, class... S>
constexpr bool captured_ready() {
    static_assert(policy_of<F>() == default_policy,
                  "[dyad] strict: the expressions of captured values have the default policy; pass the values as "
                  "arguments and choose with grad<...>, or compile with -DDYAD_STRICT");
    constexpr bool plain = plain_numbers<S...>(), possible = (expressible<S> && ...);
    static_assert(possible || !plain, "[dyad] capture: a function with captured values cannot take a std::array or an aggregate of arrays; pass "
                            "the captured values as arguments too, and choose with grad<...>");
    if constexpr (plain && possible) {
        constexpr bool callable = requires(const F& f, const S&... s) { unpack(peeled<F>::innermost(f), expression_arguments<F>(s...)); };
        static_assert(callable, DYAD_NOT_CALLABLE_CAPTURING);
        return callable;
    }
    return false;
}

} // namespace dyad
