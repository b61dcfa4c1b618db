// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A division costs as much as ten products. Quotients by one divisor share its reciprocal, and one reciprocal
// gives others: 1/a = b·(1/(a·b)), 1/x = (1/√x)². For b = 0 and x < 0 these are no numbers: so only where all that is
// computed from 1/a, or 1/x, is none there anyway, because the other quotient is in it too.
#pragma once

#include <dyad/graph/builder.hpp>

namespace dyad {

/// The quotients of a graph that is being copied into a builder; `place` says where its nodes are there.
class reciprocals {
public:
    constexpr reciprocals(graph_view g, builder& b, const list<node_index>& place)
        : g_(g), b_(b), place_(place) {
        bool divides = false, shared = false;
        for (node_index i = 0; i < g.size && !divides; ++i) divides = g.nodes[i].op == opcode::div;
        if (!divides) return;
        quotients_ = list<node_index>(g.size);
        first_ = list<node_index>(g.size, no_node);
        via_ = list<node_index>(g.size, no_node);
        for (node_index i = 0; i < g.size; ++i) {
            if (g.nodes[i].op != opcode::div) continue;
            const node_index d = g.nodes[i].operand[1];
            if (g.nodes[d].op == opcode::constant) continue; // x/3 is not x times a rounded third
            if (quotients_.at[d]++ == 0) first_.at[d] = i;
            shared = true;
        }
        for (node_index d = 0; d < g.size && shared; ++d) {
            if (first_.at[d] != no_node) offer(d, d, 0);
        }
    }

    /// The quotient that node i is, in the builder.
    constexpr node_index quotient(node_index i) {
        const node& n = g_[i];
        const node_index x = n.operand[0], d = n.operand[1];
        if (quotients_.at[d] < 2 && via_.at[d] == no_node) {
            return b_.add({.op = opcode::div, .type = n.type, .operand = {place_.at[x], place_.at[d], 0}});
        }
        const node_index r = reciprocal(d);
        const bool one = g_[x].op == opcode::constant && constant_value(g_[x]) == 1.0;
        return one ? r : product(place_.at[x], r, n.type);
    }

private:
    /// A longer product costs more than the division that it saves.
    static constexpr int most_factors = 3;

    /// Whether a result is no finite number (`nan`: is NaN) as soon as one operand is none.
    static constexpr bool passes_on(const node& n, bool nan) {
        switch (n.op) {
        case opcode::add:
        case opcode::sub:
        case opcode::mul:
        case opcode::neg:
        case opcode::abs:
        case opcode::sqrt:
        case opcode::log:
        case opcode::sin:
        case opcode::cos:
        case opcode::tan: return true;
        case opcode::ipow: return n.attribute() > 0;
        case opcode::div:
        case opcode::exp:
        case opcode::expm1:
        case opcode::log1p:
        case opcode::erf:
        case opcode::erfc:
        case opcode::tanh:
        case opcode::cbrt:
        case opcode::atan: return nan;
        default: return false;
        }
    }
    /// Whether every output that a quotient by `f` reaches is no finite number where those by `d` are none.
    constexpr bool is_covered(node_index f, node_index d) const {
        const bool nan = g_[d].op == opcode::sqrt;
        list<bool> spoiled(g_.size), clean(g_.size);
        for (node_index i = 0; i < g_.size; ++i) {
            const node& n = g_[i];
            spoiled.at[i] = n.op == opcode::div && n.operand[1] == d;
            for (int k = n.arity(); k-- > 0 && !spoiled.at[i];) spoiled.at[i] = spoiled.at[n.operand[k]] && passes_on(n, nan);
        }
        for (std::size_t k = 0; k < g_.output_count; ++k) {
            if (!spoiled.at[g_.outputs[k]]) clean.at[g_.outputs[k]] = true;
        }
        for (std::size_t i = g_.size; i-- > 0;) {
            const node& n = g_[i];
            if (!clean.at[i]) continue;
            if (n.op == opcode::div && n.operand[1] == f) return false;
            for (int k = n.arity(); k-- > 0;) clean.at[n.operand[k]] = true;
        }
        return true;
    }
    /// Tells the factors of the divisor `d` below `x`, and what it is the root of, that they can have their
    /// reciprocals from it: those that are asked for only after it is there.
    constexpr void offer(node_index d, node_index x, int depth) {
        const node& n = g_[x];
        const bool root = x == d && n.op == opcode::sqrt;
        if ((n.op != opcode::mul && !root) || depth == most_factors) return;
        for (int k = 0; k < n.arity(); ++k) {
            const node_index f = n.operand[k];
            if (first_.at[f] != no_node && first_.at[f] > d && via_.at[f] == no_node && is_covered(f, d)) {
                via_.at[f] = d;
                ++quotients_.at[d];
            }
            if (!root) offer(d, f, depth + 1);
        }
    }
    constexpr node_index reciprocal(node_index d) {
        const node_index e = via_.at[d];
        const element type = g_[d].type;
        if (e == no_node) {
            const node_index one = b_.constant(exact(1), type);
            return b_.add({.op = opcode::div, .type = type, .operand = {one, place_.at[d], 0}});
        }
        const node_index r = reciprocal(e);
        return g_[e].op == opcode::sqrt ? product(r, r, type) : replaced(e, d, r, 0);
    }
    /// The product `x` with `r` in the place of its factor `d`; nothing if it has no such factor.
    constexpr node_index replaced(node_index x, node_index d, node_index r, int depth) {
        if (x == d) return r;
        const node& n = g_[x];
        if (n.op != opcode::mul || depth == most_factors) return no_node;
        for (int k = 0; k < 2; ++k) {
            const node_index part = replaced(n.operand[k], d, r, depth + 1);
            if (part != no_node) return product(part, place_.at[n.operand[1 - k]], n.type);
        }
        return no_node;
    }
    constexpr node_index product(node_index x, node_index y, element type) {
        return b_.add({.op = opcode::mul, .type = type, .operand = {x, y, 0}});
    }

    graph_view g_;
    builder& b_;
    const list<node_index>& place_;
    list<node_index> quotients_; ///< how often something is divided by the node
    list<node_index> first_; ///< the first node that divides by it
    list<node_index> via_;   ///< whose reciprocal gives its own
};

} // namespace dyad
