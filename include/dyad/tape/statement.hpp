// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A deferred operation as a compiled graph: its value and its partial derivatives by every active leaf, in one go. The
// value keeps the bits that plain numbers give; a partial derivative that the rules make a strong zero is told apart
// from one that happens to be 0.
#pragma once

#include <dyad/kernel/scalar.hpp>
#include <dyad/pass/lower.hpp>
#include <dyad/pass/reverse.hpp>
#include <dyad/pass/simplify.hpp>
#include <dyad/tape/deferred.hpp>

namespace dyad {

/// Appends an operand's formula to a builder; its leaves become inputs, numbered in order.
template <class A, class X>
constexpr node_index append_operand(builder& b, std::uint32_t& next, list<node_index>& active) {
    constexpr element number = element_of<typename bottom_number<A>::type>();
    if constexpr (deferred_value<X>) {
        return [&]<opcode Op, int N, class... Y>(std::type_identity<deferred<Op, N, A, Y...>>) {
            node n{.op = Op, .bits = static_cast<std::uint32_t>(N)};
            int k = 0;
            ((n.operand[k++] = append_operand<A, Y>(b, next, active)), ...);
            return b.emit(n);
        }(std::type_identity<X>{});
    } else {
        const node_index input = b.input(next++, std::is_same_v<X, bool> ? element::boolean : number);
        if constexpr (std::is_same_v<X, A>) active.push_back(input);
        return input;
    }
}

/// How many leaves of a statement are active numbers of its own level.
template <class X>
inline constexpr int active_leaves_of = active_number<X> ? 1 : 0;
template <opcode Op, int N, class A, class... X>
inline constexpr int active_leaves_of<deferred<Op, N, A, X...>> = (0 + ... + active_leaves_of<X>);

/// The graph of a statement `E`, whose outputs are its value; then, for each active leaf, the partial derivative and a
/// condition (1 or 0) under which there is one.
template <class E>
struct statement_source {
    static constexpr int active_count = active_leaves_of<E>;
    static constexpr bool contracts = default_policy == policy::fast; // (as plain numbers of one expression are)

    struct make {
        template <class Rules = every_rule> // (else clang would instantiate pullback, with every rule, where it reads the call)
        constexpr dyad::graph operator()() const {
            builder b(rewriter_of(policy::strict));
            std::uint32_t next = 0;
            list<node_index> active;
            const node_index value = append_operand<typename E::result_type, E>(b, next, active);
            const element type = b[value].type;
            const node_index one = b.constant(exact(1), type), zero = b.constant(exact(0), type);
            contributions sum(b);
            list<node_index> outputs{value};
            for (const node_index partial : pullback<Rules>(b, {value}, {one}, active)) {
                const contribution c = sum.of(tracer(b, partial));
                outputs.push_back(c.nothing() ? zero : c.value);
                outputs.push_back(c.nothing() ? zero : c.mask == no_node ? one : b.emit(opcode::where, c.mask, one, zero));
            }
            return lower(b.finish(outputs), policy::strict);
        }
    };
    static constexpr const auto& graph = frozen<make, static_cast<std::size_t>(8 * E::operation_count + 4 * E::leaf_count + 8), static_cast<std::size_t>(1 + 2 * active_count)>::value;
};

/// Marks which active leaves of a statement stand in exponents, in the order of its leaves.
template <class X>
constexpr void mark_exponents(std::type_identity<X>, bool within, bool*& next) {
    if constexpr (active_number<X>) *next++ = within;
}
template <opcode Op, int N, class A, class... X>
constexpr void mark_exponents(std::type_identity<deferred<Op, N, A, X...>>, bool within, bool*& next) {
    constexpr bool power = is(Op, opcode::pow) || is(Op, opcode::pow_dx) || is(Op, opcode::pow_log);
    int k = 0;
    (mark_exponents(std::type_identity<X>{}, within || (power && k++ == 1), next), ...);
}

/// What is known of a partial derivative at compile time.
enum class partial_kind : std::uint8_t {
    nothing,     ///< a strong zero
    one,         ///< 1
    minus_one,   ///< -1
    number,      ///< computed
    conditional, ///< computed, and a strong zero unless a condition holds
};

/// The statement as a program.
template <class E>
struct statement_program {
    using source = statement_source<E>;
    static constexpr int active_count = source::active_count;
    using kernel = kernel_of<source>;

    /// Whether an exponent is differentiated by: the slope xʸ log x is NaN for negative x.
    static constexpr bool has_active_exponent = [] {
        bool any = false;
        for (const node& n : source::graph.nodes) any = any || n.is(opcode::pow_log);
        return any;
    }();

    /// Whether the k-th active leaf stands in such an exponent.
    static constexpr bool is_exponent(int k) {
        if constexpr (has_active_exponent) {
            bool marks[active_count] = {}, *next = marks;
            mark_exponents(std::type_identity<E>{}, false, next);
            return marks[k];
        } else {
            return false;
        }
    }

    static constexpr partial_kind kind(int k) {
        const graph_view g = source::graph.view();
        const node &partial = g[g.outputs[1 + 2 * k]], &condition = g[g.outputs[2 + 2 * k]];
        if (!condition.is(opcode::constant)) return partial_kind::conditional;
        if (constant_value(condition) == 0.0) return partial_kind::nothing;
        if (!partial.is(opcode::constant)) return partial_kind::number;
        const exact value = constant_value(partial);
        return value == 1.0 ? partial_kind::one : value == -1.0 ? partial_kind::minus_one : partial_kind::number;
    }
};

/// The value and partial derivatives of an operation whose attribute is known at run time only.
template <opcode Op, class A, class... X>
A with_attribute(int attribute, const X&... x) {
    using T = typename A::value_type;
    using rule = operation<Op>;
    const T values[] = {T(x.value())...};
    T result, partial[3] = {};
    const auto by_values = [&](const auto&... v) {
        if constexpr (number<T>) {
            result = rule::value(attribute, v...);
        } else {
            result = T(apply<Op>(attribute, v...));
        }
        partial[0] = rule::dx(attribute, v..., result);
        if constexpr (sizeof...(X) == 3) {
            partial[1] = rule::dy(attribute, v..., result);
            partial[2] = rule::dz(attribute, v..., result);
        }
    };
    if constexpr (sizeof...(X) == 3) {
        by_values(values[0], values[1], values[2]);
    } else {
        by_values(values[0]);
    }
    const auto as_number = []<class Y>(const Y& y) {
        if constexpr (active_number<Y> || deferred_value<Y>) {
            return A(y);
        } else {
            return A(y.value());
        }
    };
    const A operands[] = {as_number(x)...};
    return A::from_partials(result, partial, operands, static_cast<int>(sizeof...(X)));
}

} // namespace dyad
