// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Derivatives of eager expressions: again expressions (`diff`), or values in one pass (`gradient`).
#pragma once

#include <dyad/trace/literals.hpp>

namespace dyad {

/// The graph of the N-th derivative of a program by its input `Input`.
template <class E, std::size_t Input, int N>
struct derivative_graph {
    using Program = typename E::program;
    using rules = rules_for<Program, (N > 1)>;
    constexpr dyad::graph operator()() const {
        builder b(rewriter_of(default_policy));
        b.arrays = rules_if<E::has_arrays>();
        b.regions = regions_of<Program>();
        node_index value = b.append(Program::graph)[0];
        node_index by = no_node;
        for (node_index i = 0; i < b.size(); ++i) {
            if (b[i].is(opcode::input) && b[i].bits == Input) by = i;
        }
        const element type = b[value].type;
        if (by == no_node) {
            value = N == 0 ? value : b.constant(exact(0), type);
        } else if (b[value].rank == 0 && b[by].rank == 0) {
            value = nth_derivative<rules>(b, value, by, N);
        } else {
            for (int k = 0; k < N; ++k) value = b[value].rank == 0 ? gradient_nodes<rules>(b, value, {by})[0] : array_jacobian<rules>(b, value, by);
        }
        if (b.is_constant(value)) value = b.constant(constant_value(b[value]), type); // (2_c * f has a slope like f)
        return b.finish({value});
    }
};

#define DYAD_NO_SLOPE "[dyad] diff: a comparison has no derivative; use where"

template <int N, class X, class E>
constexpr auto derivative_by(const E& e) {
    static_assert(!E::is_condition(), DYAD_NO_SLOPE);
    constexpr std::size_t place = leaf_position<X::variable_name>(typename E::leaves{});
    using made = derivative_graph<E, place, N>;
    return expression_of<made, typename E::leaves, 4 * E::words + 64>::make(e.values(), e);
}

/// A copy of variable x that was assigned to, `auto z = x; z = z * x;`, holds a number and no formula: z + x throws, and so does the
/// derivative of z.
template <class E, class X>
constexpr void refuse_changed_copy(const E& e, const X& x) {
    if constexpr (variable<E> && std::same_as<E, X>) {
        if (!e.is_copy_of(x) && !(e.value() == x.value())) static_cast<void>(e + x);
    }
}

/// dᴺz/dxᴺ, again an expression with value and formula. The derivative of an array has its axes, then those of x.
/// Example: `diff<2>(x * x * x, x)` is `6*x`.
template <int N = 1, eager E, variable X>
constexpr auto diff(const E& e, const X& x) {
    refuse_changed_copy(e, x);
    static_assert(N >= 0, "[dyad] diff: the order must not be negative");
    return derivative_by<N, X>(to_expression(e));
}

/// Mixed derivatives, one variable after the other. Example: `diff(x * x * y, x, y)` is `2*x`.
template <eager E, variable X, variable... Rest>
    requires(sizeof...(Rest) > 0)
constexpr auto diff(const E& e, const X& x, const Rest&... rest) {
    return diff(diff(e, x), rest...);
}

/// What diff and gradient are asked for by mistake: a derivative of no expression, or by no variable.
template <class E, class... X>
concept no_derivative = (eager<E> || (variable<X> || ...)) && !(eager<E> && sizeof...(X) > 0 && (variable<X> && ...));
template <class E>
constexpr void refuse_derivative() {
    constexpr bool of_expression = eager<E>;
    static_assert(!of_expression, "[dyad] diff, gradient: they are by one or more variables, dyad::var, not by numbers or expressions; name it: dyad::var<\"u\"> u{2.0}");
    static_assert(of_expression, "[dyad] diff, gradient: they are of expressions of variables; of a function take derivative or grad");
}

template <int N = 1, class E, class... X>
    requires no_derivative<E, X...>
constexpr auto diff(const E& e, const X&...) {
    refuse_derivative<E>();
    if constexpr (eager<E>) return e; // one mistake, one message
    if constexpr (!eager<E>) return 0.0;
}

/// The graph of value and gradient of a program by some of its inputs; a place that is none of them gives 0.
template <class E, std::size_t... Inputs>
struct gradient_program {
    using Program = typename E::program;
    struct make {
        constexpr dyad::graph operator()() const {
            builder b(rewriter_of(default_policy));
            b.arrays = rules_if<E::has_arrays>();
            b.regions = regions_of<Program>();
            const node_index value = b.append(Program::graph)[0];
            const std::size_t places[] = {Inputs...};
            list<node_index> by;
            for (const std::size_t place : places) {
                const bool known = place < Program::graph.input_count;
                by.push_back(known ? b.add(input_at(place)) : b.parameter(b[value].type));
            }
            list<node_index> results{value};
            for (const node_index i : gradient_nodes<rules_in<Program>>(b, value, by)) results.push_back(i);
            return b.finish(b.inwards(results));
        }
        static constexpr node input_at(std::size_t place) {
            for (const node& n : Program::graph.nodes) {
                if (n.is(opcode::input) && n.bits == place) return n;
            }
            return input_node(static_cast<std::uint32_t>(place), element::float64);
        }
    };
    static constexpr const auto& graph =
        frozen<make, 4 * Program::graph.view().size + 64, sizeof...(Inputs) + 1>::value;
};

/// The value, and a tuple of the derivatives by each variable, in one pass.
template <eager E, variable... X>
    requires(sizeof...(X) > 0)
constexpr auto value_and_gradient(const E& e, [[maybe_unused]] const X&... variables) {
    (refuse_changed_copy(e, variables), ...);
    const auto x = to_expression(e);
    using expression = std::remove_const_t<decltype(x)>;
    static_assert(!expression::is_condition(), DYAD_NO_SLOPE);
    using program = gradient_program<expression,
                                     leaf_position<X::variable_name>(typename expression::leaves{})...>;
    if constexpr (expression::has_arrays) {
        return value_and_gradient_of_arrays<program>(x, variables...); // array/eager.hpp
    } else {
        const auto results = x.template evaluate<lowered_program<program, default_policy>>();
        return [&]<std::size_t... Item>(std::index_sequence<Item...>) {
            return std::pair{results[0], std::tuple{static_cast<typename X::leaf_type::value_type>(results[Item + 1])...}};
        }(std::index_sequence_for<X...>{});
    }
}

/// The derivatives by each variable, as a tuple. Example: `auto [gx, gy] = gradient(z, x, y);`
template <eager E, variable... X>
    requires(sizeof...(X) > 0)
constexpr auto gradient(const E& e, const X&... variables) {
    return value_and_gradient(e, variables...).second;
}

template <class E, class... X>
    requires no_derivative<E, X...>
constexpr auto value_and_gradient(const E&, const X&...) {
    refuse_derivative<E>();
    return std::pair{0.0, std::tuple{0.0, (static_cast<void>(std::type_identity<X>{}), 0.0)...}}; // (one part at least: one mistake, one message)
}
template <class E, class... X>
    requires no_derivative<E, X...>
constexpr auto gradient(const E& e, const X&... x) {
    return value_and_gradient(e, x...).second;
}

} // namespace dyad

#undef DYAD_NO_SLOPE
