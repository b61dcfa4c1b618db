// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A function on traced values becomes one on expressions: its operands are expressions, tuples of them and attributes
// known at compile time; it runs once inside the compiler, and each of its results is an expression.
#pragma once

#include <dyad/array/eager.hpp>
#include <dyad/array/shapes.hpp>
#include <dyad/base/unpack.hpp>

namespace dyad {

/// An attribute, which is no leaf: whole<N>, keep_dims; or a whole number known at run time only.
template <class X>
inline constexpr bool is_attribute = std::same_as<X, keep_dims_t> || std::integral<X>;
template <int N>
inline constexpr bool is_attribute<whole<N>> = true;

template <class X>
inline constexpr bool is_tuple_like = requires { std::tuple_size<X>::value; } && !eager<X> && !array_like<X>;

/// Whether an operand, or in a tuple one of its parts, is what `is(std::type_identity<Part>)` says.
template <class X, class Is>
constexpr bool holds(const Is& is) {
    if constexpr (is_tuple_like<X>) {
        return [&]<std::size_t... Item>(std::index_sequence<Item...>) {
            return (holds<std::tuple_element_t<Item, X>>(is) || ...);
        }(std::make_index_sequence<std::tuple_size_v<X>>{});
    } else {
        return is(std::type_identity<X>{});
    }
}
template <class X>
constexpr bool holds_array() {
    return holds<X>([]<class P>(std::type_identity<P>) { return array_like<P>; });
}
template <class X>
constexpr bool holds_traced() {
    return holds<X>([]<class P>(std::type_identity<P>) { return traced_value<P>; });
}
/// A plain array, or a std::array of numbers, among traced values: the compiler, which runs the function on these, does not have its elements.
template <class X>
inline constexpr bool is_array_of_numbers = false;
template <number T, std::size_t N>
inline constexpr bool is_array_of_numbers<std::array<T, N>> = true;
template <class... X>
concept array_beside_traced = (traced_value<X> || ...) && ((holds_array<X>() || is_array_of_numbers<X>) || ...);
/// A traced value among operands that has a builder.
template <class... X>
constexpr tracer traced_among(const X&... x) {
    tracer found;
    const auto look = [&]<class P>(const P& part) {
        if constexpr (traced_value<P>) {
            if (part.home() != nullptr) found = part;
        }
    };
    (look(x), ...);
    return found;
}

/// A leaf without a name that holds an array: a copy, or borrowed for a call.
template <bool Borrows, array_like A>
auto array_slot(const A& a) {
    using traits = array_traits<A>;
    using value = array_value<typename traits::element, traits::rank, traits::ones>;
    using made = slot<value>;
    if constexpr (!lie_on_host<A>()) {
        return refused_result{};
    } else if constexpr (Borrows) {
        return array_leaf_expr<made>(flat_tuple<made>(made{{nullptr, traits::reference(a)}, nullptr}));
    } else {
        return array_leaf_expr<made>(flat_tuple<made>(made{snapshot<value>(a), nullptr}));
    }
}

/// Any operand of an array function as expressions and attributes. (`Value`: a whole number is an expression too.)
template <bool Borrows, bool Value = false, class X>
auto as_operand(const X& x) {
    if constexpr (eager<X>) {
        return to_expression(x);
    } else if constexpr (array_like<X>) {
        return array_slot<Borrows>(x);
    } else if constexpr (is_tuple_like<X>) {
        return unpack([](const auto&... part) { return std::tuple{as_operand<Borrows>(part)...}; }, x);
    } else if constexpr (is_attribute<X> && !(number<X> && Value)) {
        return x;
    } else {
        return to_expression(x);
    }
}

/// An array as an operand of expressions, borrowed, not copied: it must live as long as they do, and not change.
/// Example: `sum(square(w - view(t)))`.
template <array_like A>
auto view(const A& a) {
    return array_slot<true>(a);
}
template <array_like A>
void view(const A&&) = delete;

namespace operators {

// An array beside an expression is one of its operands; the expression keeps a copy.
#define DYAD_OPERATOR_WITH_ARRAY(symbol)                                                             \
    template <eager A, array_like B>                                                                 \
    auto operator symbol(const A& x, const B& y) {                                                   \
        return x symbol array_slot<false>(y);                                                        \
    }                                                                                                \
    template <array_like A, eager B>                                                                 \
    auto operator symbol(const A& x, const B& y) {                                                   \
        return array_slot<false>(x) symbol y;                                                        \
    }
DYAD_OPERATOR_WITH_ARRAY(+)
DYAD_OPERATOR_WITH_ARRAY(-)
DYAD_OPERATOR_WITH_ARRAY(*)
DYAD_OPERATOR_WITH_ARRAY(/)
DYAD_OPERATOR_WITH_ARRAY(%)
DYAD_OPERATOR_WITH_ARRAY(<)
DYAD_OPERATOR_WITH_ARRAY(>)
DYAD_OPERATOR_WITH_ARRAY(<=)
DYAD_OPERATOR_WITH_ARRAY(>=)
DYAD_OPERATOR_WITH_ARRAY(==)
DYAD_OPERATOR_WITH_ARRAY(!=)
DYAD_OPERATOR_WITH_ARRAY(&&)
DYAD_OPERATOR_WITH_ARRAY(||)
#undef DYAD_OPERATOR_WITH_ARRAY

} // namespace operators

/// The expressions among operands, in order.
template <class X>
auto expressions_in(const X& x) {
    if constexpr (eager<X>) {
        return std::tuple<X>(x);
    } else if constexpr (is_attribute<X>) {
        return std::tuple<>();
    } else {
        return unpack([](const auto&... part) { return std::tuple_cat(expressions_in(part)...); }, x);
    }
}

/// Makes the traced operand that stands for an operand of type X: expressions ask `Source` (expression type), whole numbers
/// `Source` (no type).
template <class Source>
struct traced_operand {
    Source& source;
    template <class X>
    constexpr auto operator()(std::type_identity<X>) {
        if constexpr (is_constant_expression<X>) {
            constexpr auto value = number_of_constant<X>();
            return std::conditional_t<std::same_as<decltype(value), const int>, int, tracer>(value);
        } else if constexpr (eager<X>) {
            return source.template value<X>();
        } else if constexpr (std::same_as<X, keep_dims_t>) {
            return keep_dims;
        } else if constexpr (std::integral<X>) {
            return source.number();
        } else if constexpr (is_attribute<X>) {
            return X::value;
        } else {
            return each(std::type_identity<X>{});
        }
    }

private:
    template <class... X>
    constexpr auto each(std::type_identity<std::tuple<X...>>) {
        return std::tuple<decltype((*this)(std::type_identity<X>{}))...>{(*this)(std::type_identity<X>{})...};
    }
};

/// Appends expressions to a builder one by one.
template <class Merged>
struct appended_expressions {
    builder& b;
    merged_graphs graphs{b, Merged::merge.source};
    template <class X>
    constexpr tracer value() {
        return {b, graphs.append(X::coded.words)};
    }
};

/// Stand-ins, of which only the types count.
struct untraced {
    template <class X>
    constexpr tracer value() const {
        return {};
    }
    constexpr int number() const { return 0; }
};
template <class X>
using traced_as = decltype(std::declval<traced_operand<untraced>&>()(std::type_identity<X>{}));
template <class Function, class... X>
concept callable_on = std::is_invocable_v<Function, const traced_as<X>&...>;

template <class Function, class Source, class... X>
constexpr auto call_traced(Source& source) {
    traced_operand<Source> make{source};
    std::tuple<decltype(make(std::type_identity<X>{}))...> operands{make(std::type_identity<X>{})...};
    return unpack(Function{}, operands);
}

/// Result number K of `Function` on traced values, as a graph over the merged leaves of the operands.
template <class Function, class Merged, std::size_t K, class... X>
struct function_graph {
    constexpr dyad::graph operator()() const {
        builder b(rewriter_of(default_policy));
        return b.finish({result_nodes(b, result(b))[K]});
    }
    static constexpr array_fault fault() {
        builder b(rewriter_of(policy::verbatim));
        unsigned found = 0;
        b.fault = &found;
        static_cast<void>(result(b));
        return static_cast<array_fault>(found);
    }
    static constexpr auto result(builder& b) {
        b.arrays = rules_of_arrays();
        appended_expressions<Merged> source{b};
        return call_traced<Function, appended_expressions<Merged>, X...>(source);
    }
    using result_type = std::remove_cvref_t<std::invoke_result_t<Function, const traced_as<X>&...>>;
};
template <class Graph>
auto fault_of_function(int) -> known_fault<Graph::fault()>;
template <class Graph>
auto fault_of_function(...) -> known_fault<array_fault::unknown>;

template <class R>
inline constexpr bool is_pair = false;
template <class A, class B>
inline constexpr bool is_pair<std::pair<A, B>> = true;

template <class Expressions>
struct merged_expressions;
template <class... E>
struct merged_expressions<std::tuple<E...>> {
    using type = merged_leaves<typename E::leaves...>;
    static constexpr std::size_t words = (std::size_t{64} + ... + E::words);
};

template <class Function, class... X>
auto apply_to_expressions(const X&... x) {
    using all = merged_expressions<decltype(std::tuple_cat(expressions_in(x)...))>;
    using merged = typename all::type;
    static_assert(merged::agree, "[dyad] expression: two variables of one name, but of different types, stand in it");
    using first = function_graph<Function, merged, 0, X...>;
    if constexpr (without_fault<decltype(fault_of_function<first>(0))::value>()) {
        return unpack(
            [&](const auto&... e) {
                const auto values = merged::values(e.values()...);
                const auto result = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
                    return expression_of<function_graph<Function, merged, K, X...>, typename merged::type, all::words>::make(values, e...);
                };
                using type = typename first::result_type;
                return [&]<std::size_t... K>(std::index_sequence<K...>) {
                    if constexpr (leaf_type<type>) {
                        return (result(std::integral_constant<std::size_t, K>{}), ...);
                    } else if constexpr (is_pair<type>) {
                        return std::pair{result(std::integral_constant<std::size_t, K>{})...};
                    } else {
                        return std::tuple{result(std::integral_constant<std::size_t, K>{})...};
                    }
                }(std::make_index_sequence<structure<type>::size>{});
            },
            std::tuple_cat(expressions_in(x)...));
    } else {
        return std::get<0>(std::tie(x...)); // one mistake, one message
    }
}

} // namespace dyad
