// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The last pass before the schedule, under the fast policy only: what costs an operation for each element and need not.
// Divisions by what stretches (a number, one value for each row) become products with its reciprocal, and signs of products
// go to the factor that stretches: both are then computed once, outside of the loop. Reductions of reductions are one. Sums
// of squares are taken one by one: a square that is added up at once is a single operation, and its coefficient comes after
// the sum.
#pragma once

#include <dyad/graph/builder.hpp>
#include <dyad/pass/plan.hpp>

namespace dyad {

class array_lowering {
public:
    constexpr explicit array_lowering(graph_view g) : g_(g), b_(&store_unchanged, 2 * g.size), place_(g.size), uses_(g.size) {
        for (std::size_t i = 0; i < g.size; ++i) {
            for (int k = operands_read(g[i]); k-- > 0;) ++uses_.at[g[i].operand[k]];
        }
        for (std::size_t k = 0; k < g.output_count; ++k) uses_.at[g.outputs[k]] += 2; // an output stays
    }

    constexpr graph run() {
        for (node_index i = 0; i < g_.size; ++i) place_.at[i] = lowered(i);
        return static_cast<builder&&>(b_).finish_copy(g_, place_);
    }

private:
    constexpr node_index lowered(node_index i) {
        switch (g_[i].op) {
        case opcode::div: return quotient(i, exact(1));
        case opcode::neg: return negated(i);
        case opcode::reduce_sum:
        case opcode::reduce_prod:
        case opcode::reduce_max:
        case opcode::reduce_min: return reduced(i);
        default: return b_.add(moved(i));
        }
    }
    constexpr node moved(node_index i) const {
        node n = g_[i];
        for (int k = n.arity(); k-- > 0;) n.operand[k] = place_.at[n.operand[k]];
        return n;
    }
    [[nodiscard]] constexpr bool stretches(node_index x, node_index result) const {
        return !g_[x].is(opcode::constant) && stretched_axes(shape_of(g_[x]), shape_of(g_[result])) != 0;
    }
    /// n, which has the shape of node x of the new graph.
    constexpr node_index add_like(node_index x, node n) {
        set_shape(n, shape_of(b_[x]));
        return b_.add(n);
    }

    /// Quotient i times `sign`, by the reciprocal of what it divides by, if that stretches.
    constexpr node_index quotient(node_index i, exact sign) {
        node n = moved(i);
        if (!stretches(g_[i].operand[1], i)) return b_.add(n);
        const node_index number = b_.constant(sign, n.type);
        n.operand[1] = add_like(n.operand[1], {.op = opcode::div, .type = n.type, .operand = {number, n.operand[1], 0}});
        n.op = opcode::mul;
        return b_.add(n);
    }
    constexpr node_index negated(node_index i) {
        const node_index x = g_[i].operand[0];
        const node& of = g_[x];
        if (uses_[x] == 1 && of.is(opcode::div) && stretches(of.operand[1], x)) return quotient(x, exact(-1));
        for (int k = 0; k < 2 && uses_[x] == 1 && of.is(opcode::mul); ++k) {
            const node_index factor = of.operand[k];
            if (!stretches(factor, x) || g_[factor].type != of.type) continue; // (the integer 0 has no sign)
            node product = moved(x);
            product.operand[k] = add_like(place_.at[factor], {.op = opcode::neg, .type = of.type, .operand = {place_.at[factor], 0, 0}});
            return b_.add(product);
        }
        return b_.add(moved(i));
    }

    [[nodiscard]] constexpr bool is_square(node_index v) const {
        return g_[v].is(opcode::ipow) && g_[v].attribute() > 0 && g_[v].attribute() % 2 == 0;
    }
    [[nodiscard]] constexpr bool is_positive_constant(node_index v) const {
        return g_[v].is(opcode::constant) && constant_value(g_[v]).high > 0;
    }
    /// Whether v is a sum of squares with positive coefficients, in which nothing cancels; nothing else wants the products and
    /// sums in it.
    [[nodiscard]] constexpr bool is_of_squares(node_index v) const {
        const node& n = g_[v];
        if (is_square(v)) return true;
        if (uses_[v] != 1) return false;
        if (n.is(opcode::mul)) return is_positive_constant(n.operand[0]) && is_square(n.operand[1]);
        if (!n.is(opcode::add)) return false;
        for (int k = 0; k < 2; ++k) {
            if (shape_of(g_[n.operand[k]]) != shape_of(n) || !is_of_squares(n.operand[k])) return false;
        }
        return true;
    }
    /// What loops read: an array, without so many elements at the ends of its axes.
    struct origin {
        node_index array = no_node;
        int removed[max_rank] = {};
        friend constexpr bool operator==(const origin&, const origin&) = default;
    };
    [[nodiscard]] constexpr origin origin_of(node_index v) const {
        origin o{v, {}};
        for (; g_[o.array].is(opcode::slice); o.array = g_[o.array].operand[0]) {
            const slice_range s = decode_slice(g_[o.array].bits);
            if (left_out(s) < 0) break;
            o.removed[s.axis] += left_out(s);
        }
        return o;
    }
    /// Whether all elements of v come from one array, so that whatever v is made of has its size. (Where two arrays meet,
    /// one may stretch as the program runs, or they do not fit, which must not be lost.)
    [[nodiscard]] constexpr bool has_one_origin(node_index v) const {
        list<bool> reached(v + std::size_t{1});
        reached.at[v] = true;
        origin common;
        for (node_index i = v + 1; i-- > 0;) {
            const node& n = g_[i];
            if (!reached.at[i] || low_bits(n.rank) == n.ones) continue; // a number
            if (role_of(n.op) == role::elementwise && !is_array_operation(n.op)) {
                for (int k = n.arity(); k-- > 0;) reached.at[n.operand[k]] = true;
                continue;
            }
            const origin here = origin_of(i);
            if (common.array == no_node) common = here;
            if (here != common) return false;
        }
        return common.array != no_node;
    }
    /// The axes `outer` of what is left without the axes `inner`, as axes of what there was; and those.
    static constexpr unsigned joined(unsigned inner, unsigned outer) {
        unsigned both = inner;
        for (unsigned k = 0; outer != 0; ++k) {
            if ((inner >> k & 1) != 0) continue;
            both |= (outer & 1) << k;
            outer >>= 1;
        }
        return both;
    }
    constexpr node_index reduced(node_index i) {
        node n = g_[i];
        node_index x = n.operand[0];
        for (; g_[x].op == n.op && uses_[x] == 1; x = g_[x].operand[0]) n.bits = joined(axes_of(g_[x].bits), axes_of(n.bits));
        const bool apart = n.is(opcode::reduce_sum) && n.rank == 0 && g_[x].is(opcode::add) && is_of_squares(x) && has_one_origin(x);
        return apart ? total(n, x) : reduction(n, x);
    }
    constexpr node_index reduction(node n, node_index x) {
        n.operand[0] = place_.at[x];
        return b_.add(n);
    }
    /// The sums of the squares in x.
    constexpr node_index total(const node& sum, node_index x) {
        const node& n = g_[x];
        if (!n.is(opcode::add) && !n.is(opcode::mul)) return reduction(sum, x);
        const node_index first = n.is(opcode::add) ? total(sum, n.operand[0]) : place_.at[n.operand[0]];
        return b_.add({.op = n.op, .type = sum.type, .operand = {first, total(sum, n.operand[1]), 0}});
    }

    graph_view g_;
    builder b_;
    list<node_index> place_;
    list<int> uses_;
};

constexpr graph lower_arrays(graph_view g) {
    return array_lowering(g).run();
}

} // namespace dyad
