// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The canonical forms of array operations. What only moves elements goes towards the arguments where something computes element
// by element with it, so that what computes lies together and becomes one loop. For a routine it stays a view of memory.
#pragma once

#include <dyad/array/rules.hpp>
#include <dyad/pass/policy.hpp>
#include <dyad/pass/role.hpp>

namespace dyad {

constexpr bool is_elementwise(opcode op) {
    return op > opcode::result && !is_array_operation(op);
}

class array_rewriter {
public:
    constexpr array_rewriter(builder& b, bool fast) : b_(b), fast_(fast) {}

    constexpr node_index run(node n) {
        if (!takes_views(n.op)) b_.turn_inwards(n);
        const node_index x = n.operand[0];
        const node& inner = b_[x];
        if (inner.is(opcode::broadcast_like) && inner.bits == equal_rows) {
            if (const node_index part = beside_rows(n); part != no_node) return part;
        }
        switch (n.op) {
        case opcode::reduce_sum: return sum(n);
        case opcode::reduce_prod:
        case opcode::reduce_max:
        case opcode::reduce_min:
            return only_ones(n) ? b_.emit({.op = opcode::squeeze, .operand = {x, 0, 0}, .bits = n.bits}) : b_.add(n);
        case opcode::extent: return extent(n);
        case opcode::eye_like: return inner.rank == 0 ? b_.constant(exact(1), inner.type) : b_.add(with(n, 0, sure_shape_source(x)));
        case opcode::outer_like: return b_.add(with(with(n, 0, shape_source(x)), 1, shape_source(n.operand[1])));
        case opcode::broadcast_like: return stretched(n);
        case opcode::expand:
            if (inner.is(opcode::constant) || (inner.is(opcode::fill) && inner.ones == low_bits(inner.rank))) return filled(n);
            if (inner.is(opcode::squeeze) && inner.bits == n.bits && shape_of(b_[inner.operand[0]]) == shape_of(n))
                return inner.operand[0];
            return b_.add(n);
        case opcode::squeeze:
            if (inner.is(opcode::expand) && inner.bits == n.bits) return inner.operand[0];
            return b_.add(n);
        case opcode::transpose: return transposed(n);
        case opcode::flip:
            if (inner.is(opcode::flip) && inner.bits == n.bits) return inner.operand[0];
            return part(n);
        case opcode::slice: return part(n);
        case opcode::reshape_like: {
            const bool reshaped = inner.is(opcode::reshape) || inner.is(opcode::reshape_like);
            if (reshaped && shape_source(inner.operand[0]) == shape_source(n.operand[1])) return inner.operand[0];
            if (shape_source(x) == shape_source(n.operand[1])) return x;
            return b_.add(with(n, 1, shape_source(n.operand[1])));
        }
        case opcode::fill_like: return b_.add(with(with(n, 1, sure_shape_source(n.operand[1])), 2, sure_shape_source(n.operand[2])));
        case opcode::matmul: return product(n);
        case opcode::solve: {
            node m = n;
            m.bits = triangle_of(x); // which then need not be factorised
            return b_.add(m);
        }
        case opcode::undiagonal: return b_.add(with(n, 1, sure_shape_source(n.operand[1])));
        case opcode::unslice:
        case opcode::unwindow:
        case opcode::window: return b_.add(with(n, 1, shape_source(n.operand[1])));
        default: return b_.add(n);
        }
    }

    /// Node x, if it turns what is computed element by element, as what is computed where the turn shows it: for what is computed
    /// there, too. (A routine reads the view, and what lies behind it is computed once.)
    constexpr node_index inwards(node_index x) {
        const node n = b_[x];
        if (!is_turn(n.op)) return x;
        const node_index inner = inwards(n.operand[0]);
        return is_elementwise(b_[inner].op) ? moved_inwards(with(n, 0, inner)) : x;
    }

private:
    /// What reads memory, and what shows it. (Not what loops can do on their way.)
    static constexpr bool takes_views(opcode op) {
        const role r = role_of(op);
        return (r == role::view || r == role::call) && !is(op, opcode::pad) && !is(op, opcode::unslice);
    }
    /// A slice, or all elements backwards: of a few cheap operations, those on slices.
    constexpr node_index part(const node& n) {
        if (!is_shallow(n.operand[0])) return b_.add(n);
        const node_index x = inwards(n.operand[0]);
        return is_elementwise(b_[x].op) ? moved_inwards(with(n, 0, x)) : b_.add(n);
    }
    static constexpr node with(node n, int k, node_index operand) {
        n.operand[k] = operand;
        return n;
    }
    /// A number with axes of size 1, which need no memory to be views of.
    constexpr node_index filled(const node& n) {
        node m{.op = opcode::fill, .type = n.type, .operand = {n.operand[0], 0, 0}, .bits = encode_reshape({0, n.rank})};
        if (b_[n.operand[0]].is(opcode::fill)) m.operand[0] = b_[n.operand[0]].operand[0];
        for (unsigned k = 0; k < n.rank; ++k) m.bits = with_size(m.bits, k, 1);
        set_shape(m, shape_of(n));
        return b_.add(m);
    }
    [[nodiscard]] constexpr bool only_ones(const node& n) const {
        const unsigned axes = axes_of(n.bits);
        return (axes & b_[n.operand[0]].ones) == axes;
    }
    /// A node with the shape of x that needs less: where only the shape counts, nothing need be computed.
    [[nodiscard]] constexpr node_index shape_source(node_index x) const {
        for (;;) {
            const node& n = b_[x];
            const bool elementwise = is_elementwise(n.op) || n.is(opcode::broadcast_like);
            node_index next = x;
            for (int k = 0; k < n.arity() && elementwise; ++k) {
                if (shape_of(b_[n.operand[k]]) == shape_of(n)) next = n.operand[k];
            }
            if (next == x) return x;
            x = next;
        }
    }
    constexpr node_index sum(const node& n) {
        const node& x = b_[n.operand[0]];
        const unsigned axes = axes_of(n.bits);
        if (only_ones(n)) return b_.emit({.op = opcode::squeeze, .operand = {n.operand[0], 0, 0}, .bits = n.bits});
        if (x.is(opcode::neg)) return b_.emit(opcode::neg, b_.emit(with(n, 0, x.operand[0])));
        if (x.is(opcode::broadcast_like)) { // equal elements: counted, not added
            const node inner = x;
            const unsigned rank = b_[inner.operand[0]].rank;
            const unsigned equal = axes & stretched_axes(shape_of(b_[inner.operand[0]]), shape_of(x));
            if (rank == 0 && equal == axes && axes == low_bits(x.rank)) {
                const node_index count = b_.emit({.op = opcode::extent, .operand = {n.operand[0], 0, 0}, .bits = axes});
                return b_.emit(opcode::mul, inner.operand[0], count);
            }
        }
        if (fast_) {
            if (const node_index outside = numbers_outside(n); outside != no_node) return outside;
        }
        return b_.add(n);
    }
    /// sum(c x) = c sum(x), sum(x / c) = sum(x) / c and sum(x + c) = sum(x) + c n, for a number c: what is the same for
    /// all elements is computed once, and sums that differ by it become one. And for the same reason, sum(x (x / c)) =
    /// sum(x^2) / c. Not where x is given, not computed: x - c may be exact, and sum(x) - c n far from it; nor in floats, which have
    /// no digits to spare for what sum(x) and c n have in common.
    constexpr node_index numbers_outside(const node& n) {
        const node x = b_[n.operand[0]];
        const auto is_number = [&](node_index i, node_index other) { return b_[i].rank == 0 && b_[other].rank == x.rank; };
        const auto summed = [&](node_index i) { return b_.emit(with(n, 0, i)); };
        const node_index y = x.operand[0], z = x.operand[1];
        if (x.is(opcode::div) && is_number(z, y)) return b_.emit(opcode::div, summed(y), z);
        if (x.is(opcode::neg)) return b_.emit(opcode::neg, summed(y));
        if (!x.is(opcode::mul) && !x.is(opcode::add) && !x.is(opcode::sub)) return no_node;
        const bool second = is_number(z, y), first = !second && is_number(y, z);
        const node_index c = first ? y : z, array = first ? z : y;
        if (x.is(opcode::mul)) {
            if (first || second) return b_.emit(opcode::mul, c, summed(array));
            for (int k = 0; k < 2; ++k) { // equal factors meet
                const node_index factor = x.operand[k];
                node inner = b_[x.operand[1 - k]];
                const bool negative = inner.is(opcode::neg);
                if (negative) inner = b_[inner.operand[0]];
                const bool scaled = inner.is(opcode::div) && inner.operand[0] == factor && is_number(inner.operand[1], factor);
                if (!scaled) continue;
                const node_index all = b_.emit(opcode::div, summed(b_.emit(opcode::mul, factor, factor)), inner.operand[1]);
                return negative ? b_.emit(opcode::neg, all) : all;
            }
            return no_node;
        }
        if ((!first && !second) || !is_elementwise(b_[array].op) || n.is(element::float32)) return no_node;
        const node_index count = b_.emit({.op = opcode::extent, .operand = {array, 0, 0}, .bits = axes_of(n.bits)});
        return b_.emit(x.op, first ? b_.emit(opcode::mul, c, count) : summed(array), first ? summed(array) : b_.emit(opcode::mul, c, count));
    }
    /// shape_source where no other operand may stretch what it finds at run time: of x - m it is x - m, as either may have size 1.
    [[nodiscard]] constexpr node_index sure_shape_source(node_index x) const {
        for (;;) {
            const node& n = b_[x];
            node_index next = x;
            bool sure = is_elementwise(n.op) || n.is(opcode::broadcast_like);
            for (int k = 0; k < n.arity() && sure; ++k) {
                const node_index y = n.operand[k];
                const bool stretches_nothing = (low_bits(b_[y].rank) & ~static_cast<unsigned>(b_[y].ones)) == 0;
                sure = stretches_nothing || next == x || next == y;
                if (!stretches_nothing) next = y;
            }
            if (!sure || next == x || shape_of(b_[next]) != shape_of(n)) return x;
            x = next;
        }
    }
    constexpr node_index extent(const node& n) {
        const node_index x = sure_shape_source(n.operand[0]);
        const unsigned axes = axes_of(n.bits) & ~static_cast<unsigned>(b_[x].ones);
        if (axes == 0) return b_.constant(exact(1), n.type);
        node m = with(n, 0, x);
        m.bits = axes;
        return b_.add(m);
    }
    /// Products with every unit vector, or a multiple of it, as Jacobians and Hessians ask for, are a matrix' columns or rows.
    constexpr node_index product(const node& n) {
        const auto units = [this](node_index i) { return b_[i].is(opcode::eye_like) && b_[i].rank == 2; };
        for (int k = 0; k < 2; ++k) { // [i, :, 1] behind the matrix is the i-th vector, or [i, 1, :] before it
            const node &all = b_[n.operand[1 - k]], &x = b_[n.operand[k]];
            if (!all.is(opcode::expand) || all.bits != (k == 0 ? 1 : 2) || x.rank != 2 || x.type != n.type) continue;
            const node& vectors = b_[all.operand[0]];
            const bool scaled = vectors.is(opcode::mul) && b_.is_constant(vectors.operand[0]) && units(vectors.operand[1]);
            if (!scaled && !units(all.operand[0])) continue;
            const node_index factor = scaled ? vectors.operand[0] : no_node;
            node_index lines = n.operand[k];
            if (k == 0) lines = b_.emit({.op = opcode::transpose, .operand = {lines, 0, 0}, .bits = 0x76543201});
            if (scaled) lines = b_.emit(opcode::mul, factor, lines);
            return b_.emit({.op = opcode::expand, .operand = {lines, 0, 0}, .bits = k == 0 ? 1U : 2U});
        }
        return b_.add(n);
    }
    /// Which triangle a matrix is, as far as its node says: `lower_triangular`, `upper_triangular` or 0.
    [[nodiscard]] constexpr std::uint64_t triangle_of(node_index x) const {
        const node& n = b_[x];
        if (n.is(opcode::cholesky)) return lower_triangular;
        if (n.is(opcode::qr_r)) return upper_triangular;
        if (n.is(opcode::triangle)) {
            const triangle_part t = decode_triangle(n.bits);
            if (t.upper) return t.diagonal >= 0 ? upper_triangular : 0;
            return t.diagonal <= 0 ? lower_triangular : 0;
        }
        const bool turned = n.is(opcode::transpose) && permuted_axis(n.bits, 0) == 1 && permuted_axis(n.bits, 1) == 0;
        const std::uint64_t before = turned ? triangle_of(n.operand[0]) : 0;
        if (before == 0) return 0;
        return before == lower_triangular ? upper_triangular : lower_triangular;
    }
    /// Parts of what has as many rows as another have as many themselves: so that they are views of memory still.
    constexpr node_index beside_rows(const node& n) {
        const node inner = b_[n.operand[0]];
        const node_index rows = inner.operand[1];
        if (!n.is(opcode::slice) && !n.is(opcode::flip) && !n.is(opcode::squeeze) && !n.is(opcode::expand) && !n.is(opcode::transpose)) return no_node;
        const bool cut = n.is(opcode::slice) || n.is(opcode::flip);
        const unsigned axes = n.is(opcode::slice) ? 1U << axis_of(n.bits) : axes_of(n.bits);
        if (cut && (axes & ~static_cast<unsigned>(b_[rows].ones)) != 0) return no_node;
        node result = inner;
        result.operand[0] = b_.emit(with(n, 0, inner.operand[0]));
        result.operand[1] = cut ? rows : b_.emit({.op = n.op, .operand = {rows, 0, 0}, .bits = n.bits});
        return b_.emit(result);
    }
    constexpr node_index stretched(const node& n) {
        if (n.bits == equal_rows) return b_.add(n);
        const bool same = shape_of(b_[n.operand[0]]) == shape_of(n);
        const bool kept = n.bits == kept_stretch;
        const node_index wanted = kept ? sure_shape_source(n.operand[1]) : shape_source(n.operand[1]);
        if (kept && same) { // (What its operands make of it, one of them or all, has the elements of each.)
            const bool there = wanted == shape_source(n.operand[0]) || wanted == sure_shape_source(n.operand[0]);
            return there ? n.operand[0] : b_.add(n);
        }
        if (same && !b_[n.operand[1]].is(opcode::fill) && !b_[n.operand[1]].is(opcode::fill_like)) return n.operand[0];
        node m = n;
        const node& inner = b_[n.operand[0]];
        const bool wider = inner.is(opcode::broadcast_like) && inner.bits == 0 && shape_of(b_[n.operand[1]]) == shape_of(n);
        if (wider && (!kept || sure_shape_source(inner.operand[1]) == wanted)) m.operand[0] = inner.operand[0];
        m.operand[1] = wanted;
        return b_.add(m);
    }
    constexpr node_index transposed(const node& n) {
        node m = n;
        if (b_[m.operand[0]].is(opcode::transpose)) {
            const node inner = b_[m.operand[0]];
            m.bits = 0;
            for (unsigned k = 0; k < 8; ++k)
                m.bits |= std::uint64_t{permuted_axis(inner.bits, permuted_axis(n.bits, k))} << (4 * k);
            m.operand[0] = inner.operand[0];
        }
        if (m.bits == identity_permutation || b_[m.operand[0]].is(opcode::fill)) {
            bool same = true; // equal sizes of equal elements
            for (unsigned k = 0; k < m.rank; ++k) same = same && (m.bits == identity_permutation || (m.ones >> k & 1) != 0);
            if (same) return m.operand[0];
        }
        return b_.add(m);
    }
    /// A few cheap operations on arguments: worth computing again for each of their parts.
    [[nodiscard]] constexpr bool is_shallow(node_index x) const {
        int budget = 8;
        return (is_elementwise(b_[x].op) || (is_turn(b_[x].op) && turns_computed(b_[x]))) && is_shallow(x, budget);
    }
    [[nodiscard]] constexpr bool turns_computed(const node& turn) const {
        const node& inner = b_[turn.operand[0]];
        return is_elementwise(inner.op) || (is_turn(inner.op) && turns_computed(inner));
    }
    [[nodiscard]] constexpr bool is_shallow(node_index x, int& budget) const {
        const node& n = b_[x];
        if (is_turn(n.op) && turns_computed(n)) return is_shallow(n.operand[0], budget);
        if (n.rank == 0 || n.is(opcode::input) || n.is(opcode::slice) || n.is(opcode::expand)) return true;
        if (!is_elementwise(n.op) || !is_inline(n.op) || --budget < 0) return false;
        for (int k = 0; k < n.arity(); ++k) {
            if (!is_shallow(n.operand[k], budget)) return false;
        }
        return true;
    }
    /// view(f(a, b)) = f(view(a), view(b)), where a and b get all axes first. Remembered: what many others use would
    /// else be walked through once for each of them.
    constexpr node_index moved_inwards(const node& view) {
        const node_index key = b_.add(view);
        list<node_index> open; // what that is made of comes first: compilers limit the depth of recursion, and chains are long
        open.push_back(key);
        while (known_move(key) == 0) {
            const node_index here = open.back();
            const std::size_t waiting = open.size();
            if (is_turn(b_[here].op)) open_operands(here, open);
            if (open.size() > waiting) continue;
            if (known_move(here) == 0) {
                const node_index result = inwards_anew(b_[here]);
                b_.moved_views.at[here] = result + 1;
            }
            open.pop_back();
        }
        return b_.moved_views.at[key] - 1;
    }
    /// Adds the same turn of each operand of what turn `key` is of, where that is not known.
    constexpr void open_operands(node_index key, list<node_index>& open) {
        const node turn = b_[key], f = b_[turn.operand[0]];
        for (int k = 0; k < f.arity(); ++k) {
            const node_index x = f.operand[k];
            if (b_[x].rank != f.rank || !is_elementwise(b_[x].op)) continue;
            const node_index part = b_.emit({.op = turn.op, .operand = {x, 0, 0}, .bits = turn.bits});
            if (is_turn(b_[part].op) && b_[part].operand[0] == x && known_move(part) == 0) open.push_back(part);
        }
    }
    /// What view number `key` became, plus 1, or 0.
    constexpr node_index known_move(node_index key) {
        list<node_index>& known = b_.moved_views;
        if (key >= known.size()) {
            list<node_index> more(2 * b_.size() + 2);
            for (std::size_t k = 0; k < known.size(); ++k) more.at[k] = known.at[k];
            known = static_cast<list<node_index>&&>(more);
        }
        return known.at[key];
    }
    constexpr node_index inwards_anew(node view) {
        const node f = b_[view.operand[0]];
        node result = f;
        const bool cut = !is_turn(view.op);
        const unsigned axes = !cut ? 0U : view.is(opcode::slice) ? 1U << axis_of(view.bits) : axes_of(view.bits);
        for (int k = 0; k < f.arity(); ++k) {
            node_index x = f.operand[k];
            if (b_[x].rank == 0) continue;
            const unsigned missing = low_bits(f.rank) & ~low_bits(b_[x].rank);
            if (missing != 0) x = b_.emit({.op = opcode::expand, .operand = {x, 0, 0}, .bits = missing});
            const bool untouched = cut && (axes & ~static_cast<unsigned>(b_[x].ones)) == 0;
            result.operand[k] = untouched ? x : b_.emit({.op = view.op, .operand = {x, 0, view.operand[2]}, .bits = view.bits});
        }
        const node_index moved = b_.emit(result);
        return shape_of(b_[moved]) == shape_of(view) ? moved : b_.add(view);
    }

    builder& b_;
    bool fast_;
};

constexpr node_index rewrite_array_fast(builder& b, const node& n) {
    return array_rewriter(b, true).run(n);
}
constexpr node_index rewrite_array(builder& b, const node& n) {
    return array_rewriter(b, false).run(n);
}
constexpr node_index view_inwards(builder& b, node_index x) {
    return array_rewriter(b, false).inwards(x); // (what it emits is rewritten as the builder says)
}
inline constexpr array_rules fast_rules_of_arrays{&rewrite_array_fast, &array_pull, &array_push, &view_inwards};
inline constexpr array_rules strict_rules_of_arrays{&rewrite_array, &array_pull, &array_push, &view_inwards};

constexpr const array_rules* rules_of_arrays(policy p = default_policy) {
    return p == policy::fast ? &fast_rules_of_arrays : &strict_rules_of_arrays;
}
constexpr const array_rules* rules_at_hand(const builder*) {
    return rules_of_arrays();
}

} // namespace dyad
