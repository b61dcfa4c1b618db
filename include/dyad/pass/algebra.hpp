// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Sums, products, quotients and whole powers in canonical form: constants folded and first, signs outermost,
// equal factors as powers, like terms as multiples. Each function returns a node that equals the operation
// on the nodes it is given; what may change an IEEE result happens under policy::fast only (docs/rewrites.md).
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
        node n{.op = op, .type = a < b ? b : a, .operand = {x, y, 0}, .bits = bits};
        if ((b_.nodes.at[x].rank | b_.nodes.at[y].rank) != 0) set_shape(n, broadcast(shape_of(at(x)), shape_of(at(y))));
        return b_.add(n);
    }
    constexpr node_index store(opcode op, node_index x) {
        const node& of = b_.nodes.at[x];
        return b_.add({.op = op, .type = of.type, .rank = of.rank, .ones = of.ones, .operand = {x, 0, 0}});
    }
    /// Node x, with as many elements as it had beside `dropped`, which may stretch it as the program runs.
    constexpr node_index without_operand(node_index x, node_index dropped) {
        if (at(dropped).rank == 0) return x;
        return b_.emit({.op = opcode::broadcast_like, .operand = {x, dropped, 0}, .bits = kept_stretch});
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

    /// A term as coefficient times body, or by it; a power as body to a whole exponent.
    struct scaled {
        exact factor;
        node_index body = no_node;
        bool divides = false;
    };
    struct power {
        node_index base = no_node;
        int exponent = 1;
    };

    [[nodiscard]] constexpr double value(node_index x) const { return constant_value(b_.nodes.at[x]).high; }
    [[nodiscard]] constexpr bool negative_constant(node_index x) const {
        return is(x, opcode::constant) && value(x) < 0;
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
        if ((is(x, opcode::mul) && is(operand(x, 0), opcode::constant)) || moderate_fraction(x))
            return {constant_value(b_.nodes.at[operand(x, 0)]), operand(x, 1), is(x, opcode::div)};
        return {exact(1), x};
    }
    /// Whether a·x and b·x may be how a number is split into halves of its digits, which lives on what rounding takes: a is 2¹² + 1 for
    /// floats, 2²⁷ + 1 for doubles, and b is 1 (Dekker, Numer. Math. 18, 1971).
    static constexpr bool splits(double a, double b) {
        const double x = a < 0 ? -a : a, y = b < 0 ? -b : b;
        return x * 0x1p-12 > y || y * 0x1p-12 > x;
    }
    /// The factor of a·u op b·u as one multiple of u, or of a/u op b/u as one fraction; not known for other terms.
    [[nodiscard]] constexpr folded common_factor(opcode op, const scaled& a, const scaled& b) const {
        if (a.body != b.body || a.divides != b.divides || (!a.divides && splits(a.factor.high, b.factor.high))) return {};
        const exact values[] = {a.factor, b.factor};
        return fold(op, 0, values, at(a.body).type);
    }
    /// Like terms with factors of one sign that add up. (If they did not, sums of three would be rearranged for ever.)
    [[nodiscard]] constexpr bool like_signed(node_index x, node_index y) const {
        const scaled p = as_scaled(x), q = as_scaled(y);
        return !is(p.body, opcode::constant) && (p.factor.high > 0) == (q.factor.high > 0) && common_factor(opcode::add, p, q).known;
    }
    /// Small enough that sums of such exponents stay whole numbers.
    static constexpr bool is_exponent(std::int64_t n) { return n <= 1 << 20 && n >= -(1 << 20); }
    [[nodiscard]] constexpr power as_power(node_index x) const {
        if (is(x, opcode::ipow) && is_exponent(at(x).attribute())) return {operand(x), at(x).attribute()};
        return {x, 1};
    }
    constexpr node_index folded_or_stored(opcode op, node_index x, node_index y) {
        const exact values[] = {constant_value(b_.nodes.at[x]), constant_value(b_.nodes.at[y])};
        const element type = promote(b_.nodes.at[x].type, b_.nodes.at[y].type);
        const folded result = fold(op, 0, values, type);
        return result.known ? b_.constant(result.value, type) : store(op, x, y);
    }
    /// x op y as one term; nothing if they are not like terms, or their factors do not fold.
    constexpr node_index combined(opcode op, node_index x, node_index y) {
        if (!is(x, opcode::mul) && !is(y, opcode::mul) && !is(x, opcode::div)) return no_node; // as most terms are
        const scaled a = as_scaled(x);
        const folded factor = common_factor(op, a, as_scaled(y));
        if (!factor.known) return no_node;
        const node_index c = constant(factor.value, a.body);
        return a.divides ? div(c, a.body) : mul(c, a.body);
    }
    /// Two constants that fold into one.
    [[nodiscard]] constexpr bool folds(opcode op, node_index x, node_index y) const {
        if (!is(x, opcode::constant) || !is(y, opcode::constant)) return false;
        const exact values[] = {constant_value(at(x)), constant_value(at(y))};
        return fold(op, 0, values, at(x).type).known;
    }
    /// Whether the sum of two constants holds each to a thousandth: no summand is dropped for being small.
    [[nodiscard]] constexpr bool keeps_both(node_index x, node_index y) const {
        if (!folds(opcode::add, x, y)) return false;
        const exact values[] = {constant_value(at(x)), constant_value(at(y))};
        const double a = values[0].high, b = values[1].high, sum = fold(opcode::add, 0, values, at(x).type).value.high;
        const auto nearby = [](double found, double wanted) { return found - wanted <= 1e-3 * (wanted < 0 ? -wanted : wanted) && wanted - found <= 1e-3 * (wanted < 0 ? -wanted : wanted); };
        return nearby(sum - a, b) && nearby(sum - b, a);
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

constexpr node_index algebra::add(node_index x, node_index y) {
    if (precedes(y, x)) return add(y, x); // from here on a constant is x
    const opcode p = b_.nodes.at[x].op, q = b_.nodes.at[y].op;
    if (p == opcode::constant) {
        if (q == opcode::constant) return folded_or_stored(opcode::add, x, y);
        if (fast_ && is(x, 0.0)) return y;
        if (value(x) < 0) return sub(y, constant(negated(x), x));
    }
    if (q == opcode::neg) return sub(x, operand(y));
    if (p == opcode::neg) return sub(y, operand(x));
    if (x == y) return mul(constant(exact(2), x), x);
    if (q == opcode::mul && negative_constant(operand(y))) return sub(x, neg(y));
    if (p == opcode::mul && negative_constant(operand(x))) return sub(y, neg(x));
    if (!fast_) return store(opcode::add, x, y);
    if (const node_index one = combined(opcode::add, x, y); one != no_node) return one;
    const bool plain_x = p != opcode::add && p != opcode::sub, plain_y = q != opcode::add && q != opcode::sub;
    if (plain_x && plain_y) return store(opcode::add, x, y);
    // (u + a) + a = u + 2a, and (c + u) + d = (c + d) + u: of one sign only, because opposite signs are how
    // compensated sums recover what rounding took.
    for (int side = 0; side < 2; ++side) {
        const node_index sum = side == 0 ? x : y, term = side == 0 ? y : x;
        if (is(sum, opcode::sub) && like_signed(operand(sum, 0), term)) // (a - u) + a = 2a - u
            return sub(add(operand(sum, 0), term), operand(sum, 1));
        for (int k = 0; k < 2 && is(sum, opcode::add); ++k) {
            const node_index inner = operand(sum, k);
            if (keeps_both(inner, term) || like_signed(inner, term))
                return add(operand(sum, 1 - k), add(inner, term));
        }
    }
    return store(opcode::add, x, y);
}

constexpr node_index algebra::sub(node_index x, node_index y) {
    const opcode p = b_.nodes.at[x].op, q = b_.nodes.at[y].op;
    if (q == opcode::constant) {
        if (p == opcode::constant) return folded_or_stored(opcode::sub, x, y);
        const bool zero = is(y, 0.0) && (fast_ || std::bit_cast<std::uint64_t>(value(y)) == 0);
        if (zero) return x; // also for x = -0, the constant being +0
        if (value(y) < 0) return add(x, constant(negated(y), y));
    }
    if (q == opcode::neg) return add(x, operand(y));
    if (q == opcode::mul && negative_constant(operand(y))) return add(x, neg(y));
    if (!fast_) return store(opcode::sub, x, y);
    if (p == opcode::neg) return neg(add(operand(x), y));
    if (p == opcode::constant && is(x, 0.0)) return neg(y);
    if (x == y) return constant(exact(0), x);
    if (p == opcode::mul && negative_constant(operand(x))) return neg(add(neg(x), y));
    if (const node_index one = combined(opcode::sub, x, y); one != no_node) return one;
    if (p == opcode::sub && like_signed(operand(x, 1), y)) // (u - a) - a = u - 2a
        return sub(operand(x, 0), add(operand(x, 1), y));
    if (p == opcode::exp && is(y, 1.0)) return store(opcode::expm1, operand(x));
    if (q == opcode::exp && is(x, 1.0)) return neg(store(opcode::expm1, operand(y)));
    return store(opcode::sub, x, y);
}

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

    if (p == opcode::mul && moderate(operand(x))) return mul(operand(x), mul(operand(x, 1), y));
    if (q == opcode::mul && moderate(operand(y))) return mul(operand(y), mul(x, operand(y, 1)));
    if (p == opcode::div && moderate(operand(x))) return mul(operand(x), div(y, operand(x, 1)));
    if (q == opcode::div && moderate(operand(y))) return mul(operand(y), div(x, operand(y, 1)));
    if (divides(b_.nodes.at, x) || divides(b_.nodes.at, y)) {
        const node_index less = cancelled(x, y, 1);
        if (less != no_node) return less;
    }
    const power a = as_power(x), b = as_power(y);
    if (a.base == b.base) return ipow(a.base, a.exponent + b.exponent);
    // (u·xᵐ)·xⁿ = u·xᵐ⁺ⁿ
    for (int side = p == opcode::mul ? 0 : 1; side < (q == opcode::mul ? 2 : 1); ++side) {
        const node_index product = side == 0 ? x : y;
        const power factor = side == 0 ? b : a;
        for (int k = 0; k < 2; ++k) {
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
    // (The slope of a quotient squares its divisor, which may overflow; the fast rules make one power of that.)
    if (n == -1 || (n < 0 && fast_)) return div(constant(exact(1), x), ipow(x, -n));
    if (is(x, opcode::constant)) {
        const exact base = constant_value(b_.nodes.at[x]);
        const folded result = fold(opcode::ipow, n, &base, b_.nodes.at[x].type);
        if (result.known) return constant(result.value, x);
    }
    if (is(x, opcode::neg)) return n % 2 == 0 ? ipow(operand(x), n) : neg(ipow(operand(x), n));
    if (is(x, opcode::abs) && n % 2 == 0) return ipow(operand(x), n);
    if (fast_) {
        if (const auto all = std::int64_t{n} * at(x).attribute(); is(x, opcode::ipow) && is_exponent(all)) return ipow(operand(x), static_cast<int>(all));
        if (is(x, opcode::sqrt)) return root_power(operand(x), n);
        if (moderate_multiple(x) && n <= 4) return mul(ipow(operand(x, 0), n), ipow(operand(x, 1), n));
    }
    return b_.add({.op = opcode::ipow,
                   .type = at(x).type,
                   .rank = at(x).rank,
                   .ones = at(x).ones,
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
            if (at(result).type != type) return no_node;
            return a + b == 0 ? without_operand(result, p.at[i].base) : result;
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
