// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Loops, branches and rules in eager expressions, and so in functions that capture numbers: what goes round is a variable of
// its own while the body runs once; what the body made of it becomes the body of a node.
#pragma once

#include <dyad/api/captured.hpp>
#include <dyad/base/unpack.hpp>
#include <dyad/trace/control_flow.hpp>

namespace dyad {

/// Names what goes round a loop, or what a transform inside has for arguments of types S: apart from the arguments of functions, since compilers call different lambdas by one name where
/// they stand in one macro, or in one function and are templates.
template <class Body, class... S>
struct going_round;
template <class Body, class... S>
inline constexpr bool names_unknown<going_round<Body, S...>> = true;

template <class... Leaves>
constexpr bool any_eager(std::type_identity<std::tuple<Leaves...>>) {
    return (eager<Leaves> || ...);
}
/// Whether a leaf of the structures is an eager expression.
template <class... S>
inline constexpr bool has_eager = any_eager(std::type_identity<leaf_types<S...>>{});

/// The graph of result number `Output` of what `Record` makes of the operands' nodes.
template <class Record, std::size_t Output, class Merged, class... E>
struct recorded_graph {
    template <class Rules = every_rule>
    constexpr dyad::graph operator()() const {
        builder b(rewriter_of(default_policy));
        b.regions = region_rules_with<Rules>;
        b.arrays = rules_if<(E::has_arrays || ...)>();
        list<node_index> operands;
        merged_graphs graphs{b, Merged::merge.source};
        (operands.push_back(graphs.append(E::coded.words)), ...);
        return b.finish({Record{}(b, operands)[Output]});
    }
};

/// Whether a structure can hold expressions, each of which has a type of its own: numbers, and tuples and pairs of such structures.
template <class S>
inline constexpr bool holds_types = leaf_type<S>;
template <class... S>
inline constexpr bool holds_types<std::tuple<S...>> = (holds_types<S> && ...);
template <class A, class B>
inline constexpr bool holds_types<std::pair<A, B>> = holds_types<A> && holds_types<B>;

/// The leaves of a flat tuple, from number `First` on, in the structure of an S; where that cannot hold them, as they are.
template <class S, std::size_t First = 0, class Flat>
constexpr auto in_structure(const Flat& flat) {
    if constexpr (!holds_types<S>) {
        return flat;
    } else if constexpr (leaf_type<S>) {
        return std::get<First>(flat);
    } else if constexpr (requires { typename S::first_type; }) {
        using second = typename S::second_type;
        return std::pair{in_structure<typename S::first_type, First>(flat), in_structure<second, First + structure<S>::size - structure<second>::size>(flat)};
    } else {
        return [&]<class... Part, std::size_t... Item>(std::type_identity<std::tuple<Part...>>, std::index_sequence<Item...>) {
            return std::make_tuple(in_structure<Part, First + leaves_before<Item, Part...>()>(flat)...);
        }(std::type_identity<S>{}, std::make_index_sequence<std::tuple_size_v<S>>{});
    }
}

/// Result number `Output` as an expression.
template <class Record, std::size_t Output, class... E>
constexpr auto recorded_expression(const E&... e) {
    using merged = merged_leaves<typename E::leaves...>;
    using made = recorded_graph<Record, Output, merged, E...>;
    using result = expression_of<made, typename merged::type, (std::size_t{64} + ... + (2 * E::words))>;
    return result::make(merged::values(e.values()...), e...);
}
/// All results, in the structure S (std::array cannot hold them: each has a type of its own).
template <class Record, class S, class... E>
constexpr auto recorded_structure(const std::tuple<E...>& operands) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
        const auto results = unpack([](const auto&... e) {
            constexpr bool one_type_a_name = merged_leaves<typename E::leaves...>::agree;
            static_assert(one_type_a_name, DYAD_TWO_TYPES_OF_ONE_NAME);
            if constexpr (one_type_a_name) {
                return std::tuple{recorded_expression<Record, K>(e...)...};
            } else {
                return std::tuple{(static_cast<void>(K), std::get<0>(std::tie(e...)))...}; // one mistake, one message
            }
        }, operands);
        constexpr bool holds = holds_types<S>;
        static_assert(holds, "[dyad] loop: in a function that captures numbers, what goes round, or comes out of a branch, a rule or a transform, is numbers and arrays, in tuples "
                             "or pairs; pass what it captures as arguments, and choose with grad<...>");
        return in_structure<S>(results);
    }(std::make_index_sequence<structure<S>::size>{});
}
template <class Leaf>
inline constexpr bool is_number_leaf = true;
template <eager Leaf>
inline constexpr bool is_number_leaf<Leaf> = rank_of_expression<decltype(to_expression(std::declval<const Leaf&>()))> == 0;

/// What stands for a value that goes round, as number `K` of Body's: with its number type, that of integers and conditions being double.
template <class Body, std::size_t K, class E>
constexpr auto stand_in_round(const E& first) {
    using T = std::conditional_t<real_number<typename E::number_type> && !E::is_condition(), typename E::number_type, double>;
    if constexpr (is_number_leaf<E>) {
        return expression_argument<going_round<Body>, K, T>::make({});
    } else {
        const auto shape = array_among_expressions<E>::template of_shape<T>(first);
        return expression_argument<going_round<Body>, K, std::remove_const_t<decltype(shape)>>::make(shape);
    }
}
/// Those of a state; number 0 is the index.
template <class Body, class... E>
constexpr auto stand_ins(const std::tuple<E...>& first) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
        return std::tuple{stand_in_round<Body, K + 1>(std::get<K>(first))...};
    }(std::index_sequence_for<E...>{});
}
template <class Body>
constexpr auto index_in_round() {
    return expression_argument<going_round<Body>, 0, double>::make({});
}

/// Whether a condition, or a number of rounds, is one number, and values that stand for one another have as many axes; says so if not.
template <class Head, class... E, class... Next>
constexpr bool fit_together(const std::tuple<E...>*, const std::tuple<Next...>*) {
    constexpr bool one = is_number_leaf<Head>, same = ((rank_of_expression<E> == rank_of_expression<Next>) && ...);
    static_assert(one, "[dyad] control flow: a condition, or a number of rounds, is an array; reduce it to one number, or choose element by element with where");
    static_assert(same, "[dyad] control flow: the body of a loop gives an array of another rank than what goes round, or a number for an array, or the two functions of cond give such; "
                        "let both have one rank, with sum, expand_dims or broadcast_like");
    return one && same;
}

/// Records a loop from the nodes of: the number of rounds; the index; the stand-ins; their first values; their next ones,
/// and, if it is a while loop (`Repeats`), the condition in the place of the number of rounds.
template <std::size_t Values, bool Repeats, class Stored = stored_steps_constant<storing::values>>
struct record_expression_loop {
    constexpr list<node_index> operator()(builder& b, const list<node_index>& operands) const {
        const node_index index = b.parameter(element::integer);
        list<node_index> first, from{operands[1]};
        for (std::size_t k = 0; k < Values; ++k) {
            from.push_back(operands[2 + k]);
            first.push_back(operands[2 + Values + k]);
        }
        node_index head = operands[0];
        return record_carries(
            b, "loop", first,
            [&](const list<node_index>& parameters) {
                list<node_index> roots, to{index};
                for (const node_index p : parameters) to.push_back(p);
                for (std::size_t k = 0; k < Values; ++k) roots.push_back(operands[2 + 2 * Values + k]);
                if (Repeats) roots.push_back(operands[0]);
                roots = substitute(b, roots, from, to);
                if (Repeats) {
                    head = roots[Values];
                    roots.pop_back();
                }
                return roots;
            },
            [&](node_index chain) {
                return b.add({.op = Repeats ? opcode::repeat : opcode::loop, .operand = {head, chain, 0}, .bits = loop_bits(b[index].bits, false, Stored::value)});
            });
    }
};

template <class... Parts>
constexpr auto flat_operands(const Parts&... parts) {
    return std::tuple_cat(flat_expressions(parts)...);
}

/// A loop of expressions whose body made `next` of `inside`; `head`: the number of rounds, or what decides whether there is one more.
template <class Record, class State, class Head, class Index, class Inside, class First, class Next>
constexpr auto recorded_loop(const Head& head, const Index& index, const Inside& inside, const First& first, const Next& next) {
    if constexpr (fit_together<Head>(static_cast<const First*>(nullptr), static_cast<const Next*>(nullptr))) {
        return recorded_structure<Record, State>(std::tuple_cat(flat_expressions(head), std::tuple{index}, inside, first, next));
    } else {
        return in_structure<State>(first);
    }
}
/// fori_loop of expressions.
template <class Stored, class N, class Body, class State>
constexpr auto expression_loop(const N& n, const Body& body, const State& state) {
    const auto first = flat_expressions(state);
    const auto index = index_in_round<Body>();
    const auto inside = stand_ins<Body>(first);
    const auto next = flat_expressions(body(index, in_structure<State>(inside)));
    return recorded_loop<record_expression_loop<structure<State>::size, false, Stored>, State>(n, index, inside, first, next);
}
/// while_loop of expressions.
template <class Condition, class Body, class State>
constexpr auto expression_while(const Condition& condition, const Body& body, const State& state) {
    const auto first = flat_expressions(state);
    const auto inside = stand_ins<Body>(first);
    const auto now = in_structure<State>(inside);
    const auto next = flat_expressions(body(now));
    return recorded_loop<record_expression_loop<structure<State>::size, true>, State>(condition(now), index_in_round<Body>(), inside, first, next);
}

/// Records a branch from the nodes of the condition and of both functions' results.
template <std::size_t Values>
struct record_expression_branch {
    template <class Rules = every_rule>
    constexpr list<node_index> operator()(builder& b, const list<node_index>& operands) const {
        list<node_index> then, other;
        for (std::size_t k = 0; k < Values; ++k) {
            then.push_back(operands[1 + k]);
            other.push_back(operands[1 + Values + k]);
        }
        return record_branch<Rules>(b, 0, operands[0], then, other);
    }
};
template <class P, class Then, class Other>
constexpr auto expression_branch(const P& predicate, const Then& then, const Other& other) {
    using chosen = decltype(flat_expressions(then));
    using others = decltype(flat_expressions(other));
    if constexpr (fit_together<P>(static_cast<const chosen*>(nullptr), static_cast<const others*>(nullptr))) {
        return recorded_structure<record_expression_branch<structure<Then>::size>, Then>(flat_operands(predicate, then, other));
    } else {
        return then;
    }
}

/// Records a call of a function without state, on arguments of the structures S.
template <class F, class... S>
struct record_expression_call {
    constexpr list<node_index> operator()(builder& b, const list<node_index>& operands) const {
        node_reader read{b, operands};
        std::tuple<traced<S>...> arguments{structure<S>::build(read)...};
        return state_nodes(b, unpack(instance_of<F>(), arguments));
    }
};
template <class F, class Result, class... S>
constexpr auto expression_call(const S&... s) {
    return recorded_structure<record_expression_call<F, S...>, Result>(flat_operands(s...));
}

} // namespace dyad
