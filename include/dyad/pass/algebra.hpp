// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Sums, products, quotients and whole powers in canonical form: constants folded and first, signs outermost,
// equal factors as powers, like terms as multiples. Each function returns a node that equals the operation
// on the nodes it is given; what may change an IEEE result happens under policy::fast only (docs/rewrites.md).
// Sums are in sums.hpp, products in products.hpp.
#pragma once

#include <dyad/graph/builder.hpp>
#include <dyad/graph/fold.hpp>
#include <dyad/pass/factors.hpp>
#include <dyad/pass/policy.hpp>

namespace dyad {

/// Canonical arithmetic on the nodes of one builder.
class algebra {
public:
    constexpr algebra(builder& b, bool fast) : b_(b), fast_(fast) {}

    constexpr node_index add(node_index x, node_index y);
    constexpr node_index sub(node_index x, node_index y);
    constexpr node_index mul(node_index x, node_index y);
    constexpr node_index div(node_index x, node_index y);
    constexpr node_index neg(node_index x);
    constexpr node_index ipow(node_index x, int n);

    [[nodiscard]] constexpr bool fast() const { return fast_; }
    [[nodiscard]] constexpr builder& home() const { return b_; }
    [[nodiscard]] constexpr const node& at(node_index x) const { return b_.nodes.at[x]; }
    [[nodiscard]] constexpr bool is(node_index x, opcode op) const {
        return b_.nodes.at[x].op == op;
    }
    [[nodiscard]] constexpr bool is(node_index x, double value) const {
        return is(x, opcode::constant) && constant_value(b_.nodes.at[x]) == value;
    }
    [[nodiscard]] constexpr node_index operand(node_index x, int k = 0) const {
        return b_.nodes.at[x].operand[k];
    }
    /// A new constant of the type of `like`.
    constexpr node_index constant(exact value, node_index like) {
        return b_.constant(value, b_.nodes.at[like].type);
    }
    /// The node as it is, its type being the wider of its operands'.
    constexpr node_index store(opcode op, node_index x, node_index y, std::uint64_t bits = 0) {
        const element a = b_.nodes.at[x].type, b = b_.nodes.at[y].type;
        return b_.add({.op = op, .type = a < b ? b : a, .operand = {x, y, 0}, .bits = bits});
    }
    constexpr node_index store(opcode op, node_index x) {
        return b_.add({.op = op, .type = b_.nodes.at[x].type, .operand = {x, 0, 0}});
    }
    /// The canonical order of commuting operands: constants, inputs and their powers by number, the rest by
    /// operation and formula.
    [[nodiscard]] constexpr bool precedes(node_index x, node_index y) const {
        const node *const n = b_.nodes.at, &a = n[x], &b = n[y];
        const node& p = a.op == opcode::ipow ? n[a.operand[0]] : a;
        const node& q = b.op == opcode::ipow ? n[b.operand[0]] : b;
        const opcode i = p.op == opcode::input ? p.op : a.op, j = q.op == opcode::input ? q.op : b.op;
        if (i != j) return i < j;
        if (i != opcode::input) return b_.hashes.at[x] < b_.hashes.at[y];
        return p.bits != q.bits ? p.bits < q.bits : a.bits > b.bits && a.op == opcode::ipow;
    }

private:
    constexpr node_index mul_by_constant(node_index x, node_index y);
    constexpr node_index cancelled(node_index x, node_index y, int sign);
    constexpr node_index without(node_index x, factor f, int depth = factor_list::depth);
    constexpr node_index root_power(node_index x, int halves);

    /// A term as coefficient times body; a power as body to a whole exponent.
    struct scaled {
        exact factor;
        node_index body = no_node;
    };
    struct power {
        node_index base = no_node;
        int exponent = 1;
    };

    [[nodiscard]] constexpr double value(node_index x) const { return constant_value(b_.nodes.at[x]).high; }
    [[nodiscard]] constexpr bool negative_constant(node_index x) const {
        return is(x, opcode::constant) && value(x) < 0;
    }
    [[nodiscard]] constexpr bool negative_multiple(node_index x) const {
        return is(x, opcode::mul) && negative_constant(operand(x, 0));
    }
    [[nodiscard]] constexpr bool moderate(node_index x) const {
        return is(x, opcode::constant) && is_moderate(value(x));
    }
    [[nodiscard]] constexpr bool moderate_multiple(node_index x) const {
        return is(x, opcode::mul) && moderate(operand(x, 0));
    }
    [[nodiscard]] constexpr bool moderate_fraction(node_index x) const {
        return is(x, opcode::div) && moderate(operand(x, 0));
    }
    [[nodiscard]] constexpr scaled as_scaled(node_index x) const {
        if (is(x, opcode::mul) && is(operand(x, 0), opcode::constant))
            return {constant_value(b_.nodes.at[operand(x, 0)]), operand(x, 1)};
        return {exact(1), x};
    }
    /// Multiples of one body with factors of one sign.
    [[nodiscard]] constexpr bool like_signed(node_index x, node_index y) const {
        const scaled p = as_scaled(x), q = as_scaled(y);
        return p.body == q.body && !is(p.body, opcode::constant) && (p.factor.high > 0) == (q.factor.high > 0);
    }
    [[nodiscard]] constexpr power as_power(node_index x) const {
        if (is(x, opcode::ipow)) return {operand(x), b_.nodes.at[x].attribute()};
        return {x, 1};
    }
    constexpr node_index folded_or_stored(opcode op, node_index x, node_index y) {
        const exact values[] = {constant_value(b_.nodes.at[x]), constant_value(b_.nodes.at[y])};
        const element type = promote(b_.nodes.at[x].type, b_.nodes.at[y].type);
        const folded result = fold(op, 0, values, type);
        return result.known ? b_.constant(result.value, type) : store(op, x, y);
    }
    /// a·u op b·u as one multiple of u; nothing if the factors do not fold.
    constexpr node_index combined(opcode op, const scaled& a, const scaled& b) {
        const exact values[] = {a.factor, b.factor};
        const folded factor = fold(op, 0, values, at(a.body).type);
        return factor.known ? mul(constant(factor.value, a.body), a.body) : no_node;
    }
    /// Two constants that fold into one.
    [[nodiscard]] constexpr bool folds(opcode op, node_index x, node_index y) const {
        if (!is(x, opcode::constant) || !is(y, opcode::constant)) return false;
        const exact values[] = {constant_value(at(x)), constant_value(at(y))};
        return fold(op, 0, values, at(x).type).known;
    }
    constexpr exact negated(node_index x) const {
        exact c = constant_value(b_.nodes.at[x]);
        c.high = -c.high;
        c.low = -c.low;
        return c;
    }

    builder& b_;
    bool fast_;
};

constexpr node_index algebra::neg(node_index x) {
    if (is(x, opcode::constant)) return constant(negated(x), x);
    if (is(x, opcode::neg)) return operand(x);
    if ((is(x, opcode::mul) || is(x, opcode::div)) && is(operand(x, 0), opcode::constant))
        return store(at(x).op, constant(negated(operand(x, 0)), x), operand(x, 1));
    if (fast_ && is(x, opcode::sub)) return sub(operand(x, 1), operand(x, 0));
    return store(opcode::neg, x);
}

} // namespace dyad
