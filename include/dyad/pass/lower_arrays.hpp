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
        return b_.finish_copy(g_, place_);
    }

private:
    constexpr node_index lowered(node_index i) {
        switch (g_[i].op) {
        case opcode::div: return b_.add(product(i));
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
        return g_[x].op != opcode::constant && stretched_axes(shape_of(g_[x]), shape_of(g_[result])) != 0;
    }
    constexpr node_index like(node_index x, node n) {
        n.type = b_[x].type;
        set_shape(n, shape_of(b_[x]));
        return b_.add(n);
    }

    /// A product or quotient, as a product where it can be one.
    constexpr node product(node_index i) {
        node n = moved(i);
        if (n.op == opcode::div && stretches(g_[i].operand[1], i)) {
            const node_index one = b_.constant(exact(1), n.type);
            n.operand[1] = like(n.operand[1], {.op = opcode::div, .operand = {one, n.operand[1], 0}});
            n.op = opcode::mul;
        }
        return n;
    }
    constexpr node_index negated(node_index i) {
        const node_index x = g_[i].operand[0];
        if ((g_[x].op != opcode::mul && g_[x].op != opcode::div) || uses_[x] != 1) return b_.add(moved(i));
        node n = product(x);
        for (int k = n.op == opcode::mul ? 2 : 0; k-- > 0;) {
            if (!stretches(g_[x].operand[k], i)) continue;
            n.operand[k] = like(n.operand[k], {.op = opcode::neg, .operand = {n.operand[k], 0, 0}});
            return b_.add(n);
        }
        return b_.add(moved(i));
    }

    [[nodiscard]] constexpr bool is_square(node_index v) const {
        return g_[v].op == opcode::ipow && g_[v].attribute() > 0 && g_[v].attribute() % 2 == 0;
    }
    [[nodiscard]] constexpr bool is_positive_constant(node_index v) const {
        return g_[v].op == opcode::constant && constant_value(g_[v]).high > 0;
    }
    /// Whether v, which nothing else wants, is a sum of squares with positive coefficients: nothing cancels in it.
    [[nodiscard]] constexpr bool is_of_squares(node_index v) const {
        const node& n = g_[v];
        if (is_square(v)) return true;
        if (uses_[v] != 1) return false;
        if (n.op == opcode::mul) return is_positive_constant(n.operand[0]) && is_square(n.operand[1]);
        return n.op == opcode::add && is_of_squares(n.operand[0]) && is_of_squares(n.operand[1]);
    }
    /// What loops read: an array, without so many elements at the ends of its axes.
    struct origin {
        node_index array = no_node;
        int removed[max_rank] = {};
        friend constexpr bool operator==(const origin&, const origin&) = default;
    };
    [[nodiscard]] constexpr origin origin_of(node_index v) const {
        origin o{v, {}};
        for (; g_[o.array].op == opcode::slice; o.array = g_[o.array].operand[0]) {
            const slice_range s = decode_slice(g_[o.array].bits);
            if (s.step != 1 || s.start < 0 || (s.stop >= 0 && s.stop != slice_range::open)) break;
            o.removed[s.axis] += s.start - (s.stop < 0 ? s.stop : 0);
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
        const bool apart = n.op == opcode::reduce_sum && n.rank == 0 && g_[x].op == opcode::add && is_of_squares(x) && has_one_origin(x);
        return apart ? total(n, x) : reduction(n, x);
    }
    constexpr node_index reduction(node n, node_index x) {
        n.operand[0] = place_.at[x];
        return b_.add(n);
    }
    /// The sums of the squares in x.
    constexpr node_index total(const node& sum, node_index x) {
        const node& n = g_[x];
        if (n.op != opcode::add && n.op != opcode::mul) return reduction(sum, x);
        const node_index first = n.op == opcode::add ? total(sum, n.operand[0]) : place_.at[n.operand[0]];
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
