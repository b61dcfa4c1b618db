// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Transforms inside functions that are run on expressions: as with loops, the function runs once on variables of its own, what
// it made of them is differentiated, and then they give way to the arguments.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include <dyad/api/expression_control_flow.hpp>
#include <dyad/api/result.hpp>
#include <dyad/base/unpack.hpp>
#include <dyad/trace/literals.hpp>
#include <dyad/trace/nested.hpp>

namespace dyad {

/// A number, or a condition, in place of an expression; what else there is remains.
struct number_maker {
    template <class Leaf>
    constexpr auto operator()() const {
        if constexpr (!eager<Leaf>) {
            return Leaf{};
        } else {
            using expression = decltype(to_expression(std::declval<const Leaf&>()));
            return std::conditional_t<expression::is_condition(), bool, typename expression::number_type>{};
        }
    }
};
template <class S, bool Eager>
struct numbers_in_place {
    using type = S;
};
template <class S>
struct numbers_in_place<S, true> {
    using type = built<S, number_maker>;
};
/// S with numbers in place of expressions.
template <class S>
using numbers_in = typename numbers_in_place<S, has_eager<S>>::type;

template <class... Leaves>
constexpr bool all_number_leaves(std::type_identity<std::tuple<Leaves...>>) {
    return (is_number_leaf<Leaves> && ...);
}
/// Whether the expressions among arguments are numbers; says if not.
template <class... S>
constexpr bool of_number_expressions() {
    constexpr bool of_numbers = all_number_leaves(std::type_identity<leaf_types<S...>>{});
    static_assert(of_numbers, DYAD_NO_EXPRESSIONS);
    return of_numbers;
}
#undef DYAD_NO_EXPRESSIONS

/// Whether expressions among arguments, or directions, stand beside traced values, also captured ones: then the transform is one of those.
template <class F, class Directions, class... S>
constexpr bool stand_beside_traced() {
    if constexpr (!has_eager<Directions, S...>) {
        return false;
    } else if constexpr (has_leaf<tracer, Directions, S...>) {
        return true;
    } else {
        return captures_traced<F, numbers_in<S>...>();
    }
}
/// An argument as it stands there: constants such as 2_c are numbers. Of variables only the type is asked for (captures_traced).
template <class S>
constexpr auto beside_traced(const S& s) {
    if constexpr (!has_eager<S>) {
        return s;
    } else if constexpr (is_constant_expression<S>) {
        return static_cast<double>(number_of_constant<S>());
    } else if constexpr (leaf_type<S>) {
        return refused_beside_traced(s);
    } else if constexpr (requires { s.first; }) {
        return std::pair{beside_traced(s.first), beside_traced(s.second)};
    } else {
        return unpack([](const auto&... part) { return std::make_tuple(beside_traced(part)...); }, s);
    }
}

template <class F, class... S>
constexpr auto stand_ins_for() {
    return expression_arguments<going_round<F>>(numbers_in<S>{}...);
}
template <class F, class... S>
struct result_at {
    using type = result_of<F, S...>;
};
template <class F, class... S>
    requires(has_eager<S...> && !stateless<F>)
struct result_at<F, S...> : call_with_expressions<F, decltype(stand_ins_for<F, S...>())> {};
template <class F, class... S>
    requires(has_eager<S...> && stateless<F>)
struct result_at<F, S...> {
    using type = traced_result<F, numbers_in<S>...>;
};
/// What `f` returns for arguments of which some may be expressions, in a structure of any leaves.
template <class F, class... S>
using result_in_expressions = typename result_at<F, S...>::type;

/// Records transform K of what a function made of stand-ins, from the nodes of: these; the arguments; the results; the directions.
template <transform K, class By, std::size_t Results, class... S>
struct record_expression_transform {
    static constexpr bool takes_arrays = true;
    constexpr list<node_index> operator()(builder& b, const list<node_index>& operands) const {
        constexpr std::size_t leaves = leaf_count<S...>;
        list<node_index> from, to, results, directions, by;
        for (std::size_t k = 0; k < operands.size(); ++k) {
            list<node_index>& part = k < leaves ? from : k < 2 * leaves ? to : k < 2 * leaves + Results ? results : directions;
            part.push_back(operands[k]);
        }
        for (const std::uint32_t k : inputs_at<S...>(By{})) by.push_back(from[k]);
        return substitute(b, derive(b, K, results, by, directions), from, to);
    }
};
/// The same of a function without state, which is traced, from the nodes of: the arguments; the directions.
template <transform K, class By, class F, class... S>
struct record_traced_transform {
    static constexpr bool takes_arrays = true;
    constexpr list<node_index> operator()(builder& b, const list<node_index>& operands) const {
        node_reader read{b, operands};
        std::tuple<traced<S>...> arguments{structure<S>::build(read)...};
        list<node_index> directions;
        for (std::size_t k = leaf_count<S...>; k < operands.size(); ++k) directions.push_back(operands[k]);
        return unpack([&](const auto&... s) { return nested_transform<K, By>(b, instance_of<F>(), directions, s...); }, arguments);
    }
};

/// Transform K of `f` as expressions in the structure of a `Result`.
template <transform K, class By, class Result, class F, class... D, class... S>
constexpr auto expression_transform(const F& f, const std::tuple<D...>& directions, const S&... s) {
    has_policy_of_expressions<F>();
    check_call<F, S...>(By{});
    const auto along = flat_expressions(directions);
    if constexpr (stateless<F>) {
        return recorded_structure<record_traced_transform<K, By, F, S...>, Result>(std::tuple_cat(flat_operands(s...), along));
    } else {
        const auto inside = stand_ins_for<F, S...>();
        const auto results = flat_expressions(unpack(f, inside));
        using record = record_expression_transform<K, By, std::tuple_size_v<std::remove_const_t<decltype(results)>>, S...>;
        return recorded_structure<record, Result>(std::tuple_cat(flat_expressions(inside), flat_operands(s...), results, along));
    }
}

} // namespace dyad
