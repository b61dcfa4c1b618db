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

/// A number, a condition or an array's shape in place of an expression; what else there is remains.
struct value_maker {
    template <class Leaf>
    constexpr auto operator()() const {
        if constexpr (!eager<Leaf>) {
            return static_cast<Leaf (*)()>(nullptr)(); // (never called: of types alone, which may be views)
        } else {
            using expression = decltype(to_expression(std::declval<const Leaf&>()));
            using number = std::conditional_t<expression::is_condition(), bool, typename expression::number_type>;
            if constexpr (is_number_leaf<Leaf>) {
                return number{};
            } else {
                return typename array_among_expressions<Leaf>::template value<number>{};
            }
        }
    }
};
template <class S, bool Eager>
struct values_in_place {
    using type = S;
};
template <class S>
struct values_in_place<S, true> {
    using type = built<S, value_maker>;
};
/// S with values in place of expressions.
template <class S>
using values_in = typename values_in_place<S, has_eager<S>>::type;

/// The values: of arrays, their shapes alone; of numbers, any.
template <class S>
constexpr auto value_in_place(const S& s) {
    if constexpr (!has_array<values_in<S>>) {
        return values_in<S>{};
    } else if constexpr (leaf_type<S>) {
        return array_among_expressions<S>::of_shape(s);
    } else if constexpr (requires { s.first; }) {
        return std::pair{value_in_place(s.first), value_in_place(s.second)};
    } else {
        return unpack([](const auto&... part) { return std::make_tuple(value_in_place(part)...); }, s);
    }
}

/// Whether a transform of F is one of expressions: some are among the arguments, or what F captures makes its result one.
template <class F, class... S>
constexpr bool runs_on_expressions() {
    if constexpr (has_eager<S...>) {
        return true;
    } else if constexpr (has_device_array<S...>) {
        return false;
    } else {
        return captures_argument<F, S...>();
    }
}
/// Whether a function of numbers has a result of one number where transform K asks for it; says if not.
template <transform K, class F, class... V>
constexpr bool gives_number_where_asked() {
    if constexpr (is(K, transform::value) || is(K, transform::jvp) || is(K, transform::vjp) || is(K, transform::jacobian)) {
        return true;
    } else {
        constexpr bool number = [] {
            if constexpr (stateless<F>) {
                constexpr graph_view g = traced_program<F, policy_of<F>(), V...>::graph.view();
                return g[g.outputs[0]].rank == 0;
            } else if constexpr (runs_traced<F, V...>) {
                return true; // (the trace asks)
            } else {
                return is_number_leaf<typename call_on_expressions<F, V...>::type>;
            }
        }();
        static_assert(number, "[dyad] grad: the function must return one number; reduce it with sum or mean, or use jacobian, jvp or vjp");
        return number;
    }
}
/// Whether there is transform K of F for expressions of such values, arrays among them; says why not.
template <transform K, class Wrt, class F, class... V>
constexpr bool usable_on_expressions() {
    if constexpr (!has_array<V...>) {
        if constexpr (usable<F, V...>()) return gives_number_where_asked<K, F, V...>();
        return false;
    } else if constexpr (has_device_array<V...> || is(K, transform::jacobian) || is(K, transform::hessian)) {
        static_assert(never<F>, DYAD_NO_EXPRESSIONS);
        return false;
    } else {
        return backend_for<K, Wrt, F, V...>::ready_checks::template ready<V...>(Wrt{});
    }
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
        return captures_traced<F, values_in<S>...>();
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
constexpr auto stand_ins_for(const S&... s) {
    return expression_arguments<going_round<F, values_in<S>...>>(value_in_place(s)...);
}
template <class F, class... S>
struct result_at {
    using type = result_of<F, S...>;
};
template <class F, class... S>
    requires(!stateless<F> && runs_on_expressions<F, S...>())
struct result_at<F, S...> : call_with_expressions<F, decltype(stand_ins_for<F>(std::declval<const S&>()...))> {};
template <class F, class... S>
    requires(has_eager<S...> && stateless<F>)
struct result_at<F, S...> {
    using type = traced_result<F, values_in<S>...>;
};
/// What `f` returns for arguments of which some may be expressions, in a structure of any leaves.
template <class F, class... S>
using result_in_expressions = typename result_at<F, S...>::type;

/// Records transform K of what a function made of stand-ins, from the nodes of: these; the arguments; the results; the directions.
template <transform K, class By, std::size_t Results, class... S>
struct record_expression_transform {
    template <class Rules = every_rule> // (clang would instantiate derive, with every rule, where it reads a call that nothing leaves open)
    constexpr list<node_index> operator()(builder& b, const list<node_index>& operands) const {
        constexpr std::size_t leaves = leaf_count<S...>;
        list<node_index> from, to, results, directions, by;
        for (std::size_t k = 0; k < operands.size(); ++k) {
            list<node_index>& part = k < leaves ? from : k < 2 * leaves ? to : k < 2 * leaves + Results ? results : directions;
            part.push_back(operands[k]);
        }
        for (const std::uint32_t k : inputs_at<S...>(By{})) by.push_back(from[k]);
        return substitute(b, derive<Rules>(b, K, results, by, directions), from, to);
    }
};
/// The same of a function without state, which is traced, from the nodes of: the arguments; the directions.
template <transform K, class By, class F, class... S>
struct record_traced_transform {
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
        const auto inside = stand_ins_for<F>(s...);
        const auto results = flat_expressions(unpack(f, inside));
        using record = record_expression_transform<K, By, std::tuple_size_v<std::remove_const_t<decltype(results)>>, S...>;
        return recorded_structure<record, Result>(std::tuple_cat(flat_expressions(inside), flat_operands(s...), results, along));
    }
}

} // namespace dyad
