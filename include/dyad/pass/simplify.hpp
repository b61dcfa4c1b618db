// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The simplify pass: every node in canonical form, by rules that look at a node and its operands only, so
// that one walk suffices. The same rules are the rewriter of the builders that other passes use: what they
// make is simple from the start.
#pragma once

#include <dyad/pass/algebra.hpp>

namespace dyad {

/// A node as it is: folded if its operands are constants, else with commuting operands in order.
constexpr node_index fold_or_store(algebra& a, const node& n) {
    const std::size_t op = static_cast<std::size_t>(n.op);
    const int arity = arities.of[op];
    if (a.is(n.operand[0], opcode::constant) && (a.fast() || is_inline(n.op))) { // libraries differ in the last bit
        exact values[3];
        int constants = 0;
        for (int k = 0; k < arity && a.is(n.operand[k], opcode::constant); ++k, ++constants)
            values[k] = constant_value(a.at(n.operand[k]));
        if (constants == arity) {
            const folded result = fold(n.op, n.attribute(), values, n.type);
            if (result.known) return a.home().constant(result.value, n.type);
        }
    }
    const bool zeros = n.is(opcode::max) || n.is(opcode::min); // of 0 and -0 these return the one or the other
    if (!operation_table[op].commutative || (zeros && !a.fast()) || !a.precedes(n.operand[1], n.operand[0]))
        return a.home().add(n);
    node swapped = n;
    swapped.operand[0] = n.operand[1];
    swapped.operand[1] = n.operand[0];
    return a.home().add(swapped);
}

/// f(-x) = -f(x)
constexpr node_index simplify_odd(algebra& a, const node& n) {
    const node_index x = n.operand[0];
    return a.is(x, opcode::neg) ? a.neg(a.store(n.op, a.operand(x))) : fold_or_store(a, n);
}

/// f(-x) = f(x)
constexpr node_index simplify_even(algebra& a, const node& n) {
    const node_index x = n.operand[0];
    return a.is(x, opcode::neg) ? a.store(n.op, a.operand(x)) : fold_or_store(a, n);
}

/// |x| of what is not negative.
constexpr node_index simplify_abs(algebra& a, const node& n) {
    const node_index x = n.operand[0];
    const bool even_power = a.is(x, opcode::ipow) && a.at(x).attribute() % 2 == 0;
    const bool positive = a.is(x, opcode::abs) || a.is(x, opcode::exp) ||
                          (a.fast() && a.is(x, opcode::sqrt)) || a.is(x, opcode::sigmoid) || a.is(x, opcode::hypot);
    return even_power || positive ? x : simplify_even(a, n);
}

/// Logarithms of exponentials, and of sums with 1, which lose the digits of a small summand.
constexpr node_index simplify_log(algebra& a, const node& n) {
    const node_index x = n.operand[0];
    if (!a.fast()) return fold_or_store(a, n);
    if (a.is(x, opcode::exp)) return a.operand(x);
    if (a.is(x, opcode::add) && a.is(a.operand(x, 0), 1.0)) {
        const node_index y = a.operand(x, 1);
        return a.is(y, opcode::exp) ? a.store(opcode::softplus, a.operand(y))
                                    : a.store(opcode::log1p, y);
    }
    if (a.is(x, opcode::sub) && a.is(a.operand(x, 0), 1.0))
        return a.store(opcode::log1p, a.neg(a.operand(x, 1)));
    return fold_or_store(a, n);
}
constexpr node_index simplify_log1p(algebra& a, const node& n) {
    const node_index x = n.operand[0];
    if (a.fast() && a.is(x, opcode::exp)) return a.store(opcode::softplus, a.operand(x));
    if (a.fast() && a.is(x, opcode::expm1)) return a.operand(x);
    return fold_or_store(a, n);
}

/// sqrt(x²) = |x|, whose slope at 0 is 0, not NaN; sqrt(c x²) = sqrt(c) |x|.
constexpr node_index simplify_sqrt(algebra& a, const node& n) {
    const node_index x = n.operand[0];
    const bool multiple = a.is(x, opcode::mul) && a.is(a.operand(x, 0), opcode::constant) &&
                          constant_value(a.at(a.operand(x, 0))).high > 0;
    const node_index power = multiple ? a.operand(x, 1) : x;
    const bool square = a.is(power, opcode::ipow) && a.at(power).attribute() == 2;
    if (!a.fast() || !square) return fold_or_store(a, n);
    const node_index root = a.store(opcode::abs, a.operand(power));
    if (!multiple) return root;
    const exact factor = constant_value(a.at(a.operand(x, 0)));
    const folded root_of_factor = fold(opcode::sqrt, 0, &factor, n.type); // (of a long double: not known)
    return root_of_factor.known ? a.mul(a.constant(root_of_factor.value, x), root) : fold_or_store(a, n);
}

/// max(x, x) = x, and its kin.
constexpr node_index simplify_choice(algebra& a, const node& n) {
    return n.operand[0] == n.operand[1] ? n.operand[0] : fold_or_store(a, n);
}

/// Powers with a constant exponent: whole ones multiply, halves are roots. (x^1.5 stays one until it is lowered: the
/// slope of x √x at 0 is 0/0.)
constexpr node_index simplify_power(algebra& a, const node& n) {
    const node_index x = n.operand[0], y = n.operand[1];
    if (!a.is(y, opcode::constant) || a.is(x, opcode::constant)) return fold_or_store(a, n);
    const double exponent = constant_value(a.at(y)).high;
    if (!(exponent >= -64 && exponent <= 64)) return fold_or_store(a, n);
    const int whole = static_cast<int>(exponent);
    if (exponent == whole && (a.fast() || (whole >= 0 && whole <= 1))) return a.ipow(x, whole);
    const bool half = exponent == 0.5 || exponent == -0.5;
    if (!a.fast() || !half) return fold_or_store(a, n);
    const node_index root = a.store(opcode::sqrt, x);
    return exponent == 0.5 ? root : a.div(a.constant(exact(1), x), root);
}

/// The slope c xᶜ⁻¹ of a power that lowering makes of a root.
constexpr node_index simplify_power_slope(algebra& a, const node& n) {
    const node_index x = n.operand[0], y = n.operand[1];
    if (!a.fast() || !a.is(y, opcode::constant) || !is_root_power(constant_value(a.at(y)).high)) return a.home().add(n);
    const exact exponent = constant_value(a.at(y));
    return a.mul(y, a.home().emit(opcode::pow, x, a.constant(exact(exponent.high - 1), y)));
}

/// Selections by a known condition or between equal operands.
constexpr node_index simplify_selection(algebra& a, const node& n) {
    const node_index c = n.operand[0], x = n.operand[1], y = n.operand[2];
    if (a.is(c, opcode::constant)) return a.is(c, 0.0) ? a.without_operand(y, x) : a.without_operand(x, y);
    if (x == y) return a.without_operand(x, c);
    node m = n;
    if (a.is(c, opcode::logical_not)) {
        m.operand[0] = a.operand(c);
        m.operand[1] = y;
        m.operand[2] = x;
    }
    node_index dropped[] = {c, c, c}; // by place: what an inner choice by the same condition never takes
    for (int k = 1; k < 3; ++k) {
        const node_index inner = m.operand[k];
        if (!a.is(inner, opcode::where) || a.operand(inner) != m.operand[0]) continue;
        m.operand[k] = a.operand(inner, k);
        dropped[k] = a.operand(inner, 3 - k);
    }
    node_index result = m.operand[1] == m.operand[2] ? a.without_operand(m.operand[1], c) : a.home().add(m);
    for (int k = 1; k < 3; ++k) result = dropped[k] == c ? result : a.without_operand(result, dropped[k]);
    return result;
}

/// Conditions that need not look: x < x, !!c, c && c, true && c.
constexpr node_index simplify_condition(algebra& a, const node& n) {
    const node_index x = n.operand[0], y = n.operand[1];
    if (n.is(opcode::logical_not))
        return a.is(x, opcode::logical_not) ? a.operand(x) : fold_or_store(a, n);
    if (n.is(opcode::less))
        return x == y ? a.home().constant(exact(0), element::boolean) : fold_or_store(a, n);
    if (x == y) return x;
    const double neutral = n.is(opcode::logical_and) ? 1 : 0;
    if (a.is(x, opcode::constant)) return a.is(x, neutral) ? y : x;
    if (a.is(y, opcode::constant)) return a.is(y, neutral) ? x : y;
    return fold_or_store(a, n);
}

// Arithmetic is the algebra's. (Functions, because lambdas would cost each node two calls more.)
constexpr node_index simplify_add(algebra& a, const node& n) { return a.add(n.operand[0], n.operand[1]); }
constexpr node_index simplify_sub(algebra& a, const node& n) { return a.sub(n.operand[0], n.operand[1]); }
constexpr node_index simplify_mul(algebra& a, const node& n) { return a.mul(n.operand[0], n.operand[1]); }
constexpr node_index simplify_div(algebra& a, const node& n) { return a.div(n.operand[0], n.operand[1]); }
constexpr node_index simplify_neg(algebra& a, const node& n) { return a.neg(n.operand[0]); }
constexpr node_index simplify_whole_power(algebra& a, const node& n) { return a.ipow(n.operand[0], n.attribute()); }
constexpr node_index simplify_stop(algebra& a, const node& n) {
    return a.is(n.operand[0], opcode::constant) ? n.operand[0] : a.home().add(n);
}

/// A rule: the canonical equal of a node that is about to be stored.
using rewrite_rule = node_index (*)(algebra&, const node&);

/// The rules by operation; `fold_or_store` where there is none of its own.
struct rewrite_rules {
    rewrite_rule of[static_cast<std::size_t>(opcode::count)] = {};

    constexpr rewrite_rules() {
        for (rewrite_rule& rule : of) rule = &fold_or_store;
        set(opcode::add) = &simplify_add;
        set(opcode::sub) = &simplify_sub;
        set(opcode::mul) = &simplify_mul;
        set(opcode::div) = &simplify_div;
        set(opcode::neg) = &simplify_neg;
        set(opcode::ipow) = &simplify_whole_power;
        set(opcode::stop_gradient) = &simplify_stop;
        for (const opcode op : {opcode::sin, opcode::tan, opcode::asin, opcode::atan, opcode::sinh,
                                opcode::tanh, opcode::asinh, opcode::atanh, opcode::erf, opcode::cbrt})
            set(op) = &simplify_odd;
        for (const opcode op : {opcode::cos, opcode::cosh, opcode::unit_circle, opcode::gaussian})
            set(op) = &simplify_even;
        for (const opcode op : {opcode::max, opcode::min, opcode::fmax, opcode::fmin})
            set(op) = &simplify_choice;
        for (const opcode op : {opcode::less, opcode::logical_and, opcode::logical_or, opcode::logical_not})
            set(op) = &simplify_condition;
        set(opcode::abs) = &simplify_abs;
        set(opcode::log) = &simplify_log;
        set(opcode::log1p) = &simplify_log1p;
        set(opcode::sqrt) = &simplify_sqrt;
        set(opcode::pow) = &simplify_power;
        set(opcode::pow_dx) = &simplify_power_slope;
        set(opcode::where) = &simplify_selection;
    }

private:
    constexpr rewrite_rule& set(opcode op) { return of[static_cast<std::size_t>(op)]; }
};
inline constexpr rewrite_rules rules_by_operation;

constexpr node_index simplify_fast(builder& b, const node& n) {
    algebra a(b, true);
    return rules_by_operation.of[static_cast<std::size_t>(n.op)](a, n);
}
constexpr node_index simplify_strict(builder& b, const node& n) {
    algebra a(b, false);
    return rules_by_operation.of[static_cast<std::size_t>(n.op)](a, n);
}

/// The rewriter that a policy stands for.
constexpr builder::rewriter rewriter_of(policy p) {
    return p == policy::fast ? &simplify_fast : p == policy::strict ? &simplify_strict : &store_unchanged;
}

/// The simplify pass on a whole graph; what no output needs is left out.
constexpr graph simplify(graph_view g, policy p = default_policy) {
    builder b(rewriter_of(p));
    return b.finish(b.append(g));
}

} // namespace dyad
