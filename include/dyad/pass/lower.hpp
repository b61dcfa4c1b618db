// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The last passes before a kernel: from algebra to what a machine does best. Whole powers become products, quotients
// share reciprocals, two functions of one argument become one call; stop_gradient, having done its work, goes.
// Then products and sums share what they can, and the statements get their order. Not differentiated any more.
#pragma once

#include <dyad/pass/order.hpp>
#include <dyad/pass/policy.hpp>
#include <dyad/pass/reassociate.hpp>
#include <dyad/pass/reciprocals.hpp>

namespace dyad {

/// Two functions of one argument that are computed together.
struct joint_functions {
    opcode first, second, both;
    bool exact; ///< each result has the bits of its own function
};
inline constexpr joint_functions joint_table[] = {
    {opcode::sin, opcode::cos, opcode::sincos, true},
    {opcode::erf, opcode::gaussian, opcode::erf_gaussian, false},
};

class lowering {
public:
    constexpr lowering(graph_view g, policy p)
        : g_(g), fast_(p == policy::fast), b_(&store_unchanged, g.size), place_(g.size), wanted_(g.size),
          reciprocals_(g, b_, place_) {
        for (std::size_t i = 0; i < g.size; ++i) {
            const opcode op = g.nodes[i].op;
            if (is_inline(op)) continue;
            for (const joint_functions& j : joint_table) {
                if ((op != j.first && op != j.second) || (!j.exact && !fast_)) continue;
                wanted_.at[g.nodes[i].operand[0]] |= mask_of(j, op == j.first ? 0 : 1);
            }
        }
    }

    constexpr graph run() {
        for (node_index i = 0; i < g_.size; ++i) place_.at[i] = lowered(i);
        graph result = static_cast<builder&&>(b_).finish_copy(g_, place_);
        bool conditions = false;
        for (const node_index i : result.outputs) conditions = conditions || result.nodes.at[i].type == element::boolean;
        if (conditions) return numbered(result);
        return result;
    }

private:
    /// A kernel delivers numbers: of a condition, 1 or 0.
    static constexpr graph numbered(graph_view g) {
        builder b;
        list<node_index> outputs = b.append(g, true);
        for (node_index& i : outputs) i = b.as_number(i);
        graph result = b.finish(outputs);
        result.input_count = g.input_count;
        return result;
    }
    static constexpr unsigned mask_of(const joint_functions& j, int k) {
        return 1U << (2 * (&j - joint_table) + k);
    }
    constexpr node_index lowered(node_index i) {
        node n = g_.nodes[i];
        const node_index x = n.operand[0];
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) n.operand[k] = place_.at[n.operand[k]];
        switch (n.op) {
        case opcode::stop_gradient: return n.operand[0];
        case opcode::ipow:
            if (n.attribute() < -1) return emit(opcode::div, b_.constant(exact(1), n.type), power(n.operand[0], -n.attribute()));
            return n.attribute() > 1 ? power(n.operand[0], n.attribute()) : b_.add(n);
        case opcode::pow: return root_power(n);
        case opcode::div: return fast_ ? reciprocals_.quotient(i) : b_.add(n);
        case opcode::sin:
        case opcode::cos:
        case opcode::erf: return joint(n, x);
        case opcode::gaussian: {
            const node_index result = joint(n, x);
            return result != no_node ? result : emit(opcode::exp, emit(opcode::neg, power(n.operand[0], 2)));
        }
        default: return b_.add(n);
        }
    }
    /// One of two functions of the argument x, by both if both are wanted. The gaussian has no way of its own.
    constexpr node_index joint(const node& n, node_index x) {
        for (const joint_functions& j : joint_table) {
            const unsigned both = mask_of(j, 0) | mask_of(j, 1);
            if ((n.op != j.first && n.op != j.second) || (wanted_.at[x] & both) != both) continue;
            return b_.add({.op = opcode::result,
                           .type = n.type,
                           .operand = {emit(j.both, n.operand[0]), 0, 0},
                           .bits = n.op == j.first ? 0U : 1U});
        }
        return n.op == opcode::gaussian ? no_node : b_.add(n);
    }
    constexpr node_index root_power(const node& n) {
        const node_index x = n.operand[0];
        const node& y = b_[n.operand[1]];
        if (!fast_ || y.op != opcode::constant || !is_root_power(constant_value(y).high)) return b_.add(n);
        return emit(opcode::mul, power(x, static_cast<int>(constant_value(y).high)), emit(opcode::sqrt, x));
    }
    constexpr node_index emit(opcode op, node_index x, node_index y = 0) {
        return b_.add({.op = op, .type = b_[x].type, .operand = {x, y, 0}});
    }
    /// xⁿ by squaring, in the order of `operation<opcode::ipow>`.
    constexpr node_index power(node_index x, int n) {
        if (n == 1) return x;
        if (n % 2 == 1) return emit(opcode::mul, power(x, n - 1), x);
        const node_index half = power(x, n / 2);
        return emit(opcode::mul, half, half);
    }

    graph_view g_;
    bool fast_;
    builder b_;
    list<node_index> place_;
    list<unsigned> wanted_; ///< of an argument: which of the joint functions it goes into
    reciprocals reciprocals_;
};

/// The passes that lowering consists of, one after the other. Where a long program is compiled, each is an evaluation of its
/// own (trace/program.hpp).
constexpr graph lower_pass(int number, graph_view g, policy p) {
    if (number == 0) return lowering(g, p).run();
    if (number == 1 && p == policy::fast) return reassociate(g);
    return order_around_calls(g);
}
inline constexpr int lower_passes = 3;

/// All of them.
constexpr graph lower(graph_view g, policy p = default_policy) {
    graph result = lower_pass(0, g, p);
    for (int number = 1; number < lower_passes; ++number) result = lower_pass(number, result, p);
    return result;
}

} // namespace dyad
