// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The last pass before a kernel: from algebra to what a machine does best. Whole powers become products that
// share their squares; quotients by one denominator share its reciprocal; the sine and cosine of one
// argument become one call; stop_gradient, having done its work, goes. Not differentiated any more.
#pragma once

#include <dyad/pass/simplify.hpp>

namespace dyad {

class lowering {
public:
    constexpr lowering(graph_view g, policy p)
        : g_(g), fast_(p == policy::fast), place_(g.size, no_node), quotients_(g.size, 0),
          sines_(g.size, 0) {
        for (std::size_t i = 0; i < g.size; ++i) {
            const node& n = g[i];
            if (n.op == opcode::div && g[n.operand[1]].op != opcode::constant)
                ++quotients_[n.operand[1]];
            if (n.op == opcode::sin) sines_[n.operand[0]] |= 1;
            if (n.op == opcode::cos) sines_[n.operand[0]] |= 2;
        }
    }

    constexpr graph run() {
        for (std::size_t i = 0; i < g_.size; ++i) place_[i] = lowered(g_[i]);
        list<node_index> outputs;
        for (std::size_t i = 0; i < g_.output_count; ++i) outputs.push_back(place_[g_.outputs[i]]);
        graph result = b_.finish(outputs);
        result.input_count = g_.input_count;
        return result;
    }

private:
    constexpr node_index lowered(node n) {
        const node_index x = n.operand[0], divisor = n.operand[1];
        for (int k = 0; k < n.arity(); ++k) n.operand[k] = place_[n.operand[k]];
        switch (n.op) {
        case opcode::stop_gradient: return n.operand[0];
        case opcode::ipow: return n.attribute() > 1 ? power(n.operand[0], n.attribute()) : b_.add(n);
        case opcode::div:
            if (fast_ && quotients_[divisor] > 1) {
                const node_index one = b_.constant(exact(1), n.type);
                const node_index reciprocal = emit(opcode::div, one, n.operand[1]);
                return n.operand[0] == one ? reciprocal : emit(opcode::mul, n.operand[0], reciprocal);
            }
            return b_.add(n);
        case opcode::sin:
        case opcode::cos:
            if (sines_[x] == 3) {
                const node_index both = emit(opcode::sincos, n.operand[0]);
                return b_.add({.op = opcode::result,
                               .type = n.type,
                               .operand = {both, 0, 0},
                               .bits = n.op == opcode::sin ? 0U : 1U});
            }
            return b_.add(n);
        default: return b_.add(n);
        }
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
    list<int> quotients_;
    list<int> sines_;
};

/// The lower pass.
constexpr graph lower(graph_view g, policy p = default_policy) {
    return lowering(g, p).run();
}

} // namespace dyad
