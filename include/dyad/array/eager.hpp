// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Eager expressions of arrays: `var<"w", xt::xtensor<double, 1>> w{...}`. Shapes are checked when an expression is
// made, values are computed when they are asked for, once. A variable's array is shared and never changed: assigning
// the variable gives it a new one, so that expressions keep their values.
#pragma once

#include <memory>
#include <mutex>

#include <dyad/array/values.hpp>
#include <dyad/trace/literals.hpp>

namespace dyad {

/// What an expression of arrays keeps once it is known.
class array_memo {
public:
    /// The value that `make` makes, made at most once.
    template <class T, class Make>
    const T& get(const Make& make) const {
        std::call_once(state_->once, [&] { state_->value = std::make_shared<T>(make()); });
        return *static_cast<const T*>(state_->value.get());
    }

private:
    struct state {
        std::once_flag once;
        std::shared_ptr<void> value;
    };
    std::shared_ptr<state> state_ = std::make_shared<state>();
};

/// The value of an array leaf: a snapshot that expressions share.
template <class E, unsigned Rank, unsigned Ones = 0>
struct array_value {
    using element = E;
    using memo = array_memo;
    using container = typename default_container<E, Rank>::type;
    static constexpr const array_rules* rules = rules_of_arrays();
    std::shared_ptr<const container> data;

    friend bool operator==(const array_value&, const array_value&) = default;
};
template <class E, unsigned Rank, unsigned Ones>
struct array_traits<array_value<E, Rank, Ones>> {
    using element = E;
    static constexpr unsigned rank = Rank, ones = Ones;
    static auto reference(const array_value<E, Rank, Ones>& x) {
        return array_traits<typename array_value<E, Rank, Ones>::container>::reference(*x.data);
    }
};

template <class Value>
struct single_array {
    constexpr dyad::graph operator()() const {
        builder b;
        constexpr leaf_facts leaf = facts_of_leaf<Value>();
        const node_index input = b.input(0, leaf.type, leaf.shape);
        return b.finish({input});
    }
};
template <class Leaf>
using array_leaf_expr = typename expression_of<single_array<typename Leaf::value_type>, leaf_list<Leaf>, 4>::type;

/// An array that a variable of type C takes: of its rank, and of numbers that it holds.
template <class A, class C>
concept fits_array = array_like<A> && array_traits<std::remove_cvref_t<A>>::rank == array_traits<C>::rank &&
                     std::convertible_to<typename array_traits<std::remove_cvref_t<A>>::element, typename array_traits<C>::element>;

/// A copy of an array that nobody changes.
template <class Value, array_like C>
Value snapshot(const C& c) {
    auto copy = std::make_shared<typename Value::container>();
    const auto from = array_traits<C>::reference(c);
    std::size_t size[array_traits<C>::rank + 1] = {};
    for (unsigned k = 0; k < array_traits<C>::rank; ++k) size[k] = from.size[k];
    shape_container(*copy, size);
    routine::copy(from, array_traits<typename Value::container>::target(*copy));
    return Value{std::move(copy)};
}

/// The type of an array variable: `var<"w", tensor<double, 1>>`. (A container's own type works too; but then an
/// unqualified sum(w, 0_c) may find the container's library's.)
template <class E, unsigned Rank>
using tensor = array_leaf<E, Rank, 0>;

/// A named array. Example: `var<"w", tensor<double, 1>> w{xt::xtensor<double, 1>{1., 2.}}; auto z = sum(w * w);
/// z.value(); diff(z, w)`.
template <fixed_string Name, array_like C>
class var<Name, C> {
    using traits = array_traits<C>;

public:
    using dyad_symbolic = var;
    using dyad_eager = var;
    using value_type = array_value<typename traits::element, traits::rank, traits::ones>;
    using leaf_type = leaf<Name, value_type>;

    template <class A>
        requires fits_array<A, C>
    explicit(false) var(const A& value) : leaf_{snapshot<value_type>(value), this} {}
    template <class A>
        requires fits_array<A, C>
    var& operator=(const A& value) {
        leaf_.value = snapshot<value_type>(value);
        return *this;
    }
    var(const var&) = default;
    var& operator=(const var&) = default;

    [[nodiscard]] const typename value_type::container& value() const { return *leaf_.value.data; }
    [[nodiscard]] auto expression() const { return array_leaf_expr<leaf_type>(std::tuple<leaf_type>(leaf_)); }

private:
    leaf_type leaf_;
};

/// The arguments of an expression's program.
template <class T, class E>
auto leaf_arguments(const E& e) {
    return std::apply([](const auto&... leaf) { return std::tuple_cat(flat_leaves<T>(leaf.value)...); }, e.values());
}
template <class E>
using expression_program = array_program<typename E::program, default_policy>;

/// Throws if the arrays' shapes do not fit the expression's operations.
template <class E>
void check_arrays(const E& e) {
    list<run_time_shape> shapes;
    const auto look = [&]<class X>(const X& x) {
        run_time_shape s;
        if constexpr (array_like<X>) {
            const auto r = array_traits<X>::reference(x);
            s.rank = r.rank;
            for (unsigned k = 0; k < r.rank; ++k) s.size[k] = r.size[k];
        }
        shapes.push_back(s);
    };
    std::apply([&](const auto&... leaf) { (look(leaf.value), ...); }, e.values());
    shape_walk(E::program::graph, shapes).check();
}

/// The value of an expression: a number, or a container.
template <class E>
auto value_of_arrays(const E& e) {
    using T = typename E::number_type;
    using compiled = expression_program<E>;
    using result = typename output_type<T, compiled::graph[compiled::graph.outputs[0]].rank>::type;
    return e.memo().template get<result>([&] {
        result out{};
        execute_into<compiled, T>(leaf_arguments<T>(e), std::tie(out));
        return out;
    });
}

/// The value, and the gradients by array and number variables.
template <class Program, class E, fixed_string... Names, class... T>
auto value_and_gradient_of_arrays(const E& e, const var<Names, T>&... variables) {
    using number = typename E::number_type;
    using compiled = array_program<Program, default_policy>;
    static_assert(compiled::graph[compiled::graph.outputs[0]].rank == 0,
                  "[dyad] gradient: the expression must be one number; reduce it with sum or mean");
    number value{};
    auto gradients = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::tuple<typename output_type<number, compiled::graph[compiled::graph.outputs[I + 1]].rank>::type...>{};
    }(std::index_sequence_for<T...>{});
    std::apply([&](auto&... g) { execute_into<compiled, number>(leaf_arguments<number>(e), std::tie(value, g...)); }, gradients);
    static_cast<void>(std::tie(variables...));
    return std::pair{value, std::move(gradients)};
}

/// `out = e`, without an allocation where the shape fits.
template <class Out, eager E>
void evaluate_into(Out& out, const E& e) {
    using X = std::remove_cvref_t<decltype(to_expression(e))>;
    const X x = to_expression(e);
    using T = typename X::number_type;
    execute_into<expression_program<X>, T>(leaf_arguments<T>(x), std::tuple<Out&>(out));
}
/// The value of an expression, computed now.
template <eager E>
auto evaluate(const E& e) {
    return to_expression(e).value();
}

/// An operand that is a compile-time constant: an axis, such as 0_c.
template <class E>
inline constexpr bool is_constant_expression = false;
template <auto Code>
inline constexpr bool is_constant_expression<expr<Code>> = true;

/// `Function` on traced values as a function on expressions.
template <class Function, class Merged, class... E>
struct function_graph {
    constexpr dyad::graph operator()() const {
        builder b(rewriter_of(default_policy));
        b.arrays = rules_of_arrays();
        std::size_t source = 0;
        const auto operand = [&]<class X>(std::type_identity<X>) {
            const dyad::graph g = decode(X::coded);
            if constexpr (is_constant_expression<X>) {
                return static_cast<int>(constant_value(g.nodes.at[g.outputs.at[0]]).high);
            } else {
                const tracer t(b, append_merged<Merged>(b, g, source));
                source += g.input_count;
                return t;
            }
        };
        std::tuple<decltype(operand(std::type_identity<E>{}))...> operands{operand(std::type_identity<E>{})...};
        return b.finish({std::apply(Function{}, operands).in(b)});
    }
};
template <class Function, class... E>
auto apply_to_expressions(const E&... e) {
    using merged = merged_leaves<typename E::leaves...>;
    static_assert(merged::agree, "[dyad] expression: two variables of one name, but of different types, stand in it");
    using made = function_graph<Function, merged, E...>;
    return expression_of<made, typename merged::type, (std::size_t{64} + ... + E::words)>::make(merged::values(e.values()...));
}

#define DYAD_ARRAY_FUNCTION(name)                                                                    \
    struct name##_function {                                                                         \
        template <class... X>                                                                        \
        constexpr tracer operator()(const X&... x) const {                                           \
            return name(x...);                                                                       \
        }                                                                                            \
    };                                                                                               \
    template <eager E, class... Rest>                                                                \
    auto name(const E& e, const Rest&... rest) {                                                     \
        return apply_to_expressions<name##_function>(to_expression(e), to_expression(rest)...);      \
    }
DYAD_ARRAY_FUNCTION(sum)
DYAD_ARRAY_FUNCTION(mean)
DYAD_ARRAY_FUNCTION(prod)
DYAD_ARRAY_FUNCTION(amax)
DYAD_ARRAY_FUNCTION(amin)
DYAD_ARRAY_FUNCTION(norm)
DYAD_ARRAY_FUNCTION(variance)
DYAD_ARRAY_FUNCTION(softmax)
DYAD_ARRAY_FUNCTION(log_softmax)
DYAD_ARRAY_FUNCTION(matmul)
DYAD_ARRAY_FUNCTION(dot)
DYAD_ARRAY_FUNCTION(outer)
DYAD_ARRAY_FUNCTION(transpose)
DYAD_ARRAY_FUNCTION(expand_dims)
DYAD_ARRAY_FUNCTION(squeeze)
DYAD_ARRAY_FUNCTION(reshape)
DYAD_ARRAY_FUNCTION(flip)
DYAD_ARRAY_FUNCTION(take)
DYAD_ARRAY_FUNCTION(concatenate)
DYAD_ARRAY_FUNCTION(cumsum)
DYAD_ARRAY_FUNCTION(cumprod)
DYAD_ARRAY_FUNCTION(trace)
DYAD_ARRAY_FUNCTION(diag)
DYAD_ARRAY_FUNCTION(solve)
DYAD_ARRAY_FUNCTION(inverse)
DYAD_ARRAY_FUNCTION(cholesky)
DYAD_ARRAY_FUNCTION(logdet)
DYAD_ARRAY_FUNCTION(det)
#undef DYAD_ARRAY_FUNCTION

} // namespace dyad
