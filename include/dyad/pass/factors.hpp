// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A product, quotient or power seen as the factors that it is made of, whatever tree they stand in.
#pragma once

#include <dyad/graph/builder.hpp>

namespace dyad {

/// A constant that can move through products without a risk of overflow worth the name.
constexpr bool is_moderate(double c) {
    const double size = c < 0 ? -c : c;
    return size >= 0x1p-16 && size <= 0x1p16;
}

/// An exponent n + 1/2, 0 < n < 4: xⁿ √x is as good as the power, and quicker.
constexpr bool is_root_power(double exponent) {
    return exponent == 1.5 || exponent == 2.5 || exponent == 3.5;
}

/// base^(halves/2): roots are powers too.
struct factor {
    node_index base = no_node;
    int halves = 2;
};

/// The power that a node is; one that is nothing else is its own base.
constexpr factor as_factor(const node* nodes, node_index x) {
    int halves = 2;
    if (nodes[x].op == opcode::ipow) {
        halves *= nodes[x].attribute();
        x = nodes[x].operand[0];
    }
    if (nodes[x].op == opcode::sqrt) return {nodes[x].operand[0], halves / 2};
    return {x, halves};
}

/// The first factors of a product: enough to see what cancels, few enough to look at every time.
struct factor_list {
    static constexpr int capacity = 8;
    static constexpr int depth = 5;
    factor at[capacity];
    int count = 0;

    constexpr factor_list(const node* nodes, node_index x, int sign) { collect(nodes, x, sign, depth); }

private:
    constexpr void collect(const node* nodes, node_index x, int sign, int left) {
        const node& n = nodes[x];
        if ((n.op == opcode::mul || n.op == opcode::div) && left > 0) {
            collect(nodes, n.operand[0], sign, left - 1);
            collect(nodes, n.operand[1], n.op == opcode::mul ? sign : -sign, left - 1);
        } else if (n.op != opcode::constant && count < capacity) {
            at[count] = as_factor(nodes, x);
            at[count++].halves *= sign;
        }
    }
};

/// Whether a product divides by anything, near its top.
constexpr bool divides(const node* nodes, node_index x, int depth = factor_list::depth) {
    const node& n = nodes[x];
    if (n.op != opcode::mul || depth == 0) return n.op == opcode::div;
    return divides(nodes, n.operand[1], depth - 1) || divides(nodes, n.operand[0], depth - 1);
}

} // namespace dyad
