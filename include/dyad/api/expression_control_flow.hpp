// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Loops, branches and rules in eager expressions, and so in functions that capture numbers: what goes round is a variable of
// its own while the body runs once; what the body made of it becomes the body of a node.
#pragma once

#include <dyad/api/captured.hpp>
#include <dyad/base/unpack.hpp>
#include <dyad/trace/control_flow.hpp>

namespace dyad {

/// Names what goes round a loop: apart from the arguments of functions, since compilers call different lambdas by one name where
/// they stand in one macro, or in one function and are templates.
template <class Body>
struct going_round;
template <class Body>
inline constexpr bool names_unknown<going_round<Body>> = true;

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
    constexpr bool fits = Record::takes_arrays || !(E::has_arrays || ...);
    static_assert(fits, "[dyad] cond: in expressions of arrays, and so in a function of arrays with captured values, branches, checkpoints and "
                        "rules cannot stand; pass what it captures as arguments, and choose with grad<...>");
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
        const auto results = unpack([](const auto&... e) { return std::tuple{recorded_expression<Record, K>(e...)...}; }, operands);
        constexpr bool holds = holds_types<S>;
        static_assert(holds, "[dyad] loop: in a function that captures numbers, what goes round, or comes out of a branch, a rule or a transform, is numbers in tuples or "
                             "pairs; pass what it captures as arguments, and choose with grad<...>");
        return in_structure<S>(results);
    }(std::make_index_sequence<structure<S>::size>{});
}
/// The value types of the leaves of a state, integers as double.
template <class Leaf>
struct round_number {
    using type = double;
};
template <real_number Leaf>
struct round_number<Leaf> {
    using type = Leaf;
};
template <eager Leaf>
struct round_number<Leaf> {
    using type = typename decltype(to_expression(std::declval<const Leaf&>()))::number_type;
};

template <class Leaf>
inline constexpr bool is_number_leaf = true;
template <eager Leaf>
inline constexpr bool is_number_leaf<Leaf> = [] {
    using program = typename decltype(to_expression(std::declval<const Leaf&>()))::program;
    return program::graph.nodes[program::graph.outputs[0]].rank == 0;
}();

/// Stand-ins for the leaves of a state, numbered from `First`; with the state's own values.
template <class Body, std::size_t First, class... Leaf>
constexpr auto stand_ins(std::type_identity<std::tuple<Leaf...>>) {
    constexpr bool numbers = (is_number_leaf<Leaf> && ...);
    static_assert(numbers, "[dyad] loop: in expressions, and so in a function with captured values, what goes round is a number, not an array; "
                           "pass what it captures as arguments, and choose with grad<...>");
    return []<std::size_t... K>(std::index_sequence<K...>) {
        return std::tuple{expression_argument<going_round<Body>, First + K, typename round_number<Leaf>::type>::make({})...};
    }(std::index_sequence_for<Leaf...>{});
}

/// Records a loop from the nodes of: the number of rounds; the index; the stand-ins; their first values; their next ones,
/// and, if it is a while loop (`Repeats`), the condition in the place of the number of rounds.
template <std::size_t Values, bool Repeats, class Stored = stored_steps_constant<storing::values>>
struct record_expression_loop {
    static constexpr bool takes_arrays = true;
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

/// fori_loop of expressions.
template <class Stored, class N, class Body, class State>
constexpr auto expression_loop(const N& n, const Body& body, const State& state) {
    constexpr std::size_t values = structure<State>::size;
    const auto index = stand_ins<Body, 0>(std::type_identity<std::tuple<double>>{});
    const auto inside = stand_ins<Body, 1>(std::type_identity<typename every_leaf<State>::type>{});
    const auto next = body(std::get<0>(index), in_structure<State>(inside));
    return recorded_structure<record_expression_loop<values, false, Stored>, State>(flat_operands(n, std::get<0>(index), inside, state, next));
}
/// while_loop of expressions.
template <class Condition, class Body, class State>
constexpr auto expression_while(const Condition& condition, const Body& body, const State& state) {
    constexpr std::size_t values = structure<State>::size;
    const auto index = stand_ins<Body, 0>(std::type_identity<std::tuple<double>>{});
    const auto inside = stand_ins<Body, 1>(std::type_identity<typename every_leaf<State>::type>{});
    const auto now = in_structure<State>(inside);
    return recorded_structure<record_expression_loop<values, true>, State>(
        flat_operands(condition(now), std::get<0>(index), inside, state, body(now)));
}

/// Records a branch from the nodes of the condition and of both functions' results.
template <std::size_t Values>
struct record_expression_branch {
    static constexpr bool takes_arrays = false;
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
    return recorded_structure<record_expression_branch<structure<Then>::size>, Then>(flat_operands(predicate, then, other));
}

/// Records a call of a function without state, on arguments of the structures S.
template <class F, class... S>
struct record_expression_call {
    static constexpr bool takes_arrays = false;
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
