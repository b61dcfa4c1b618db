// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What flows through a derivative pass: a value that counts only where a condition holds. The value may be
// anything (NaN too) where the condition fails; it becomes an ordinary number by `where` at the point where
// it meets others. So a strong zero stays one through any number of products.
#pragma once

#include <dyad/graph/tracer.hpp>

namespace dyad {

/// `value` where `mask` holds (everywhere if there is no mask), else exactly nothing. Without a value: nothing anywhere, the structural
/// zero. `picked`, if there is such: an array that is 0 where the value is so because no element was picked there; it becomes a mask only
/// where that matters.
struct contribution {
    node_index value = no_node;
    node_index mask = no_node;
    node_index picked = no_node;

    [[nodiscard]] constexpr bool nothing() const { return value == no_node; }
};

/// Arithmetic on contributions, and the rules' partial derivatives as such.
class contributions {
public:
    constexpr explicit contributions(builder& b) : b_(b) {}

    /// The same with what is picked in its mask, before it meets a slope that may be infinite.
    constexpr contribution masked(const contribution& c) {
        if (c.picked == no_node || c.nothing()) return c;
        const node_index zero = b_.constant(exact(0), b_.nodes.at[c.picked].type);
        const node_index there = b_.emit(opcode::logical_not, b_.emit(opcode::equal, c.picked, zero));
        return {c.value, implies(c.mask, there) ? c.mask : both(c.mask, there), c.picked};
    }
    /// What is picked, as numbers; `everywhere` stands for all.
    constexpr node_index picks(const contribution& c, node_index everywhere) {
        if (c.mask == no_node) return c.picked == no_node ? everywhere : c.picked;
        const element type = b_.nodes.at[c.value].type;
        const node_index one = c.picked == no_node ? b_.constant(exact(1), type) : c.picked;
        const node_index picked = b_.emit(opcode::where, c.mask, one, b_.constant(exact(0), type));
        return b_.nodes.at[picked].rank < b_.nodes.at[c.value].rank ? b_.broadcast_to(picked, c.value) : picked;
    }
    /// A partial derivative as a rule gives it; where(c, p, 0) is p masked by c.
    constexpr contribution of(const tracer& partial) {
        return of(partial.in(b_));
    }

    /// c·p. A factor of 1 or -1 costs no product, a factor of 0 leaves nothing.
    constexpr contribution times(const contribution& c, const tracer& p) {
        if (p.home() == nullptr) {
            const double factor = p.literal().high;
            if (factor == 0) return {};
            if (factor == 1) return c;
            if (factor == -1) return {b_.emit(opcode::neg, c.value), c.mask, c.picked};
        }
        return times(c, of(p));
    }
    constexpr contribution times(const contribution& a, const contribution& b) {
        if (a.nothing() || b.nothing()) return {};
        return {product(a.value, b.value), both(a.mask, b.mask), a.picked};
    }

    constexpr contribution plus(const contribution& a, const contribution& b) {
        if (a.value == no_node) return b;
        if (b.value == no_node) return a;
        const node_index picked = picked_by_either(a, b);
        if (a.mask == b.mask) return {b_.emit(opcode::add, a.value, b.value), a.mask, picked};
        if (is_not(b.mask, a.mask)) return {b_.emit(opcode::where, a.mask, a.value, b.value), no_node, picked};
        if (is_not(a.mask, b.mask)) return {b_.emit(opcode::where, b.mask, b.value, a.value), no_node, picked};
        const bool everywhere = a.mask == no_node || b.mask == no_node;
        return {b_.emit(opcode::add, number(a), number(b)),
                everywhere ? no_node : b_.emit(opcode::logical_or, a.mask, b.mask), picked};
    }

    /// The contribution as an ordinary number; nothing is the constant 0 of the given type.
    constexpr node_index number(const contribution& c, element type = element::weak) {
        if (c.nothing()) return b_.constant(exact(0), type);
        if (c.mask == no_node) return c.value;
        const node_index zero = b_.constant(exact(0), b_.nodes.at[c.value].type);
        return b_.emit(opcode::where, c.mask, c.value, zero);
    }

    /// What operand x of the element-by-element node i receives of c: the sum along the axes that x was stretched
    /// along, without those that it lacks. A contribution that lacks such an axis stands for equal elements along it.
    constexpr contribution narrowed(const contribution& c, node_index i, node_index x) {
        const array_shape whole = shape_of(b_.nodes.at[i]), part = shape_of(b_.nodes.at[x]);
        const unsigned axes = stretched_axes(part, whole), single = whole.ones & ~low_bits(part.rank);
        if ((axes | single) == 0 || c.nothing()) return c;
        const node_index value = number(c);
        const array_shape have = shape_of(b_.nodes.at[value]);
        const unsigned lacking = axes & stretched_axes(have, whole), summed = (axes | single) & low_bits(have.rank);
        node_index result = value;
        if (summed != 0) result = b_.emit({.op = opcode::reduce_sum, .operand = {value, 0, 0}, .bits = summed});
        if (lacking != 0) {
            const node_index count = b_.emit({.op = opcode::extent, .operand = {i, 0, 0}, .bits = lacking});
            result = b_.emit(opcode::mul, result, count);
        }
        const unsigned back = summed & low_bits(part.rank); // axes of size 1 that the operand has
        if (back != 0) result = b_.emit({.op = opcode::expand, .operand = {result, 0, 0}, .bits = back});
        return {result, no_node};
    }

    /// where(c, p, 0) is p masked by c.
    constexpr contribution of(node_index partial) {
        if (partial == no_node) return {};
        const opcode op = b_.nodes.at[partial].op;
        if (op != opcode::where && op != opcode::constant) return {partial, no_node};
        if (op == opcode::constant) return is_zero(partial) ? contribution{} : contribution{partial, no_node};
        const node n = b_.nodes.at[partial]; // a copy: masks append nodes
        const bool first = is_zero(n.operand[2]);
        if (!first && !is_zero(n.operand[1])) return {partial, no_node};
        const contribution inner = of(n.operand[first ? 1 : 2]);
        const node_index mask = first ? n.operand[0] : b_.emit(opcode::logical_not, n.operand[0]);
        return {inner.value, both(mask, inner.mask)};
    }

private:
    /// What is picked by a or by b, as an array, if one of them has such an array and neither counts everywhere. (Under one mask for both,
    /// one without an array counts wherever that holds: the mask alone tells.)
    constexpr node_index picked_by_either(const contribution& a, const contribution& b) {
        const bool tell = a.picked != no_node || b.picked != no_node, both_tell = a.picked != no_node && b.picked != no_node;
        const auto everywhere = [](const contribution& c) { return c.picked == no_node && c.mask == no_node; };
        if (!tell || everywhere(a) || everywhere(b) || (a.mask == b.mask && !both_tell)) return no_node;
        const auto picks_of = [&](const contribution& c) { return c.picked != no_node ? c.picked : picks(c, no_node); };
        const node_index of_a = picks_of(a);
        return b_.emit(opcode::add, of_a, picks_of(b));
    }
    constexpr node_index product(node_index x, node_index y) {
        const bool x_constant = b_.nodes.at[x].op == opcode::constant;
        const bool y_constant = b_.nodes.at[y].op == opcode::constant;
        if (x_constant || y_constant) {
            const double factor = constant_value(b_.nodes.at[x_constant ? x : y]).high;
            const node_index other = x_constant ? y : x;
            if (factor == 1) return other;
            if (factor == -1) return b_.emit(opcode::neg, other);
        }
        return b_.emit(opcode::mul, x, y);
    }
    constexpr node_index both(node_index a, node_index b) {
        if (a == no_node || a == b) return b;
        return b == no_node ? a : b_.emit(opcode::logical_and, a, b);
    }
    /// Whether mask a is b, or b and something else.
    [[nodiscard]] constexpr bool implies(node_index a, node_index b) const {
        if (a == no_node || a == b) return a == b;
        const node& n = b_.nodes.at[a];
        return n.op == opcode::logical_and && (n.operand[0] == b || n.operand[1] == b);
    }
    [[nodiscard]] constexpr bool is_not(node_index a, node_index b) const {
        return a != no_node && b_.nodes.at[a].op == opcode::logical_not && b_.nodes.at[a].operand[0] == b;
    }
    [[nodiscard]] constexpr bool is_zero(node_index x) const {
        return b_.is_constant(x) && constant_value(b_.nodes.at[x]) == 0.0;
    }

    builder& b_;
};

} // namespace dyad
