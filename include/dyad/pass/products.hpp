// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Products, quotients and whole powers in canonical form. What a factor and a divisor have in common goes.
#pragma once

#include <dyad/pass/algebra.hpp>

namespace dyad {

constexpr node_index algebra::mul(node_index x, node_index y) {
    if (precedes(y, x)) return mul(y, x); // from here on a constant is x
    const opcode p = b_.nodes.at[x].op, q = b_.nodes.at[y].op;
    if (p == opcode::constant) return mul_by_constant(x, y);
    if (p == opcode::neg) return neg(mul(operand(x), y));
    if (q == opcode::neg) return neg(mul(x, operand(y)));
    if (x == y) return ipow(x, 2);
    const bool plain_x = p != opcode::mul && p != opcode::div && p != opcode::ipow;
    const bool plain_y = q != opcode::mul && q != opcode::div && q != opcode::ipow;
    if (!fast_ || (plain_x && plain_y)) return store(opcode::mul, x, y);

    if (moderate_multiple(x)) return mul(operand(x, 0), mul(operand(x, 1), y));
    if (moderate_multiple(y)) return mul(operand(y, 0), mul(x, operand(y, 1)));
    if (moderate_fraction(x)) return mul(operand(x, 0), div(y, operand(x, 1)));
    if (moderate_fraction(y)) return mul(operand(y, 0), div(x, operand(y, 1)));
    if (divides(b_.nodes.at, x) || divides(b_.nodes.at, y)) {
        const node_index less = cancelled(x, y, 1);
        if (less != no_node) return less;
    }
    const power a = as_power(x), b = as_power(y);
    if (a.base == b.base) return ipow(a.base, a.exponent + b.exponent);
    // (u·xᵐ)·xⁿ = u·xᵐ⁺ⁿ
    for (int side = 0; side < 2; ++side) {
        const node_index product = side == 0 ? x : y;
        const power factor = side == 0 ? b : a;
        for (int k = 0; k < 2 && is(product, opcode::mul); ++k) {
            const power inner = as_power(operand(product, k));
            if (inner.base == factor.base)
                return mul(operand(product, 1 - k), ipow(inner.base, inner.exponent + factor.exponent));
        }
    }
    return store(opcode::mul, x, y);
}

constexpr node_index algebra::mul_by_constant(node_index x, node_index y) {
    if (is(y, opcode::constant)) return folded_or_stored(opcode::mul, x, y);
    if (is(x, 1.0)) return y;
    if (is(x, -1.0)) return neg(y);
    if (fast_ && is(x, 0.0)) return x;
    if (is(y, opcode::neg)) return mul(constant(negated(x), x), operand(y));
    const bool scaled_y = is(y, opcode::mul) || is(y, opcode::div);
    if (fast_ && scaled_y && folds(opcode::mul, x, operand(y, 0))) {
        const node_index factor = folded_or_stored(opcode::mul, x, operand(y, 0));
        return is(y, opcode::mul) ? mul(factor, operand(y, 1)) : div(factor, operand(y, 1));
    }
    return store(opcode::mul, x, y);
}

constexpr node_index algebra::div(node_index x, node_index y) {
    const bool x_constant = is(x, opcode::constant), y_constant = is(y, opcode::constant);
    if (x_constant && y_constant) return folded_or_stored(opcode::div, x, y);
    if (is(y, 1.0)) return x;
    if (is(y, -1.0)) return neg(x);
    if (y_constant) {
        // A power of two divides as its inverse multiplies, bit for bit.
        const auto bits = std::bit_cast<std::uint64_t>(value(y));
        const bool power_of_two = (bits & ((std::uint64_t{1} << 52) - 1)) == 0;
        if (power_of_two && moderate(y) && constant_value(at(y)).low == 0) return mul(constant(exact(1 / value(y)), y), x);
        if (negative_constant(y)) return neg(div(x, constant(negated(y), y)));
    }
    if (is(y, opcode::neg)) return neg(div(x, operand(y)));
    if (is(x, opcode::neg)) return neg(div(operand(x), y));
    if (!fast_) return store(opcode::div, x, y);

    if (is(x, 0.0)) return x;
    if (y_constant && moderate(y) && moderate_multiple(x))
        return mul(folded_or_stored(opcode::div, operand(x, 0), y), operand(x, 1));
    if (y_constant && moderate(y) && moderate_fraction(x))
        return div(folded_or_stored(opcode::div, operand(x, 0), y), operand(x, 1));
    if (x_constant && moderate(x) && moderate_multiple(y))
        return div(folded_or_stored(opcode::div, x, operand(y, 0)), operand(y, 1));
    if (x_constant && moderate(x) && moderate_fraction(y))
        return mul(folded_or_stored(opcode::div, x, operand(y, 0)), operand(y, 1));
    if (!x_constant && moderate_multiple(x)) return mul(operand(x, 0), div(operand(x, 1), y));
    // xᵐ/xⁿ = xᵐ⁻ⁿ, which neither overflows nor vanishes before the result does.
    const power m = as_power(x), n = as_power(y);
    if (m.base == n.base) return ipow(m.base, m.exponent - n.exponent);
    const node_index less = cancelled(x, y, -1);
    if (less != no_node) return less;
    if (x_constant && is(y, opcode::div)) return mul(x, div(operand(y, 1), operand(y, 0)));
    // (c/xᵐ)/xⁿ = c/xᵐ⁺ⁿ
    if (moderate_fraction(x)) {
        const power a = as_power(operand(x, 1)), b = as_power(y);
        if (a.base == b.base) return div(operand(x, 0), ipow(a.base, a.exponent + b.exponent));
    }
    // eᶻ/(1 + eᶻ) and 1/(1 + eᶻ) are sigmoids, and as such neither overflow nor end in inf/inf.
    if (is(y, opcode::add) && is(operand(y, 0), 1.0) && is(operand(y, 1), opcode::exp)) {
        const node_index z = operand(operand(y, 1));
        if (is(x, 1.0)) return store(opcode::sigmoid, neg(z));
        if (x == operand(y, 1)) return store(opcode::sigmoid, z);
    }
    return store(opcode::div, x, y);
}

constexpr node_index algebra::ipow(node_index x, int n) {
    if (n == 0) return constant(exact(1), x);
    if (n == 1) return x;
    if (n < 0) return div(constant(exact(1), x), ipow(x, -n));
    if (is(x, opcode::constant)) {
        const exact base = constant_value(b_.nodes.at[x]);
        const folded result = fold(opcode::ipow, n, &base, b_.nodes.at[x].type);
        if (result.known) return constant(result.value, x);
    }
    if (is(x, opcode::neg)) return n % 2 == 0 ? ipow(operand(x), n) : neg(ipow(operand(x), n));
    if (is(x, opcode::abs) && n % 2 == 0) return ipow(operand(x), n);
    if (fast_) {
        if (is(x, opcode::ipow)) return ipow(operand(x), n * b_.nodes.at[x].attribute());
        if (is(x, opcode::sqrt)) return root_power(operand(x), n);
        if (moderate_multiple(x) && n <= 4) return mul(ipow(operand(x, 0), n), ipow(operand(x, 1), n));
    }
    return b_.add({.op = opcode::ipow,
                   .type = at(x).type,
                   .operand = {x, 0, 0},
                   .bits = static_cast<std::uint32_t>(n)});
}

/// x·y or x/y, by the sign, without one factor that meets itself as a divisor; nothing if there is none. Such a
/// quotient is 0/0 or inf/inf where the factor is 0 or infinite, which the result is not.
constexpr node_index algebra::cancelled(node_index x, node_index y, int sign) {
    const factor_list p(b_.nodes.at, x, 1), q(b_.nodes.at, y, sign);
    for (int i = 0; i < p.count; ++i) {
        for (int j = 0; j < q.count; ++j) {
            const int a = p.at[i].halves, b = q.at[j].halves;
            if (p.at[i].base != q.at[j].base || (a > 0) == (b > 0)) continue;
            const int common = (a + b > 0) == (a > 0) ? -b : a; // of the sign of a
            const element type = promote(at(x).type, at(y).type);
            const node_index less_x = without(x, {p.at[i].base, common});
            const node_index less_y = without(y, {p.at[i].base, -sign * common});
            const node_index result = sign > 0 ? mul(less_x, less_y) : div(less_x, less_y);
            return at(result).type == type ? result : no_node;
        }
    }
    return no_node;
}

/// x/f, if x has the factor f or a higher power of it.
constexpr node_index algebra::without(node_index x, factor f, int depth) {
    const factor whole = as_factor(b_.nodes.at, x);
    if (whole.base == f.base && f.halves > 0 && whole.halves >= f.halves)
        return root_power(f.base, whole.halves - f.halves);
    const node n = at(x); // a copy: what is left appends nodes
    if ((n.op != opcode::mul && n.op != opcode::div) || depth == 0) return no_node;
    const node_index first = without(n.operand[0], f, depth - 1);
    if (first != no_node) return n.op == opcode::mul ? mul(first, n.operand[1]) : div(first, n.operand[1]);
    if (n.op == opcode::div) f.halves = -f.halves;
    const node_index second = without(n.operand[1], f, depth - 1);
    if (second == no_node) return no_node;
    return n.op == opcode::mul ? mul(n.operand[0], second) : div(n.operand[0], second);
}

/// x^(halves/2) for halves >= 0.
constexpr node_index algebra::root_power(node_index x, int halves) {
    const node_index whole = ipow(x, halves / 2);
    return halves % 2 == 0 ? whole : mul(whole, store(opcode::sqrt, x));
}

} // namespace dyad
