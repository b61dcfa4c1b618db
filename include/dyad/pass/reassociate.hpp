// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Products and sums that nothing else looks into are taken as what they are, sets of factors and of terms, and put
// together anew: products share what they have in common (product_sharing.hpp), terms share their coefficients,
// c·x + c·y = c·(x + y), and a power of two moves into a sum that it makes cheaper, 2·(x/2 - y) = x - 2·y. A sum
// keeps its order: (a + b) + c is three terms, a - (b - c) is not, because compensated sums depend on it.
#pragma once

#include <dyad/graph/builder.hpp>
#include <dyad/pass/factors.hpp>
#include <dyad/pass/product_sharing.hpp>

namespace dyad {

class reassociation {
public:
    constexpr explicit reassociation(graph_view g)
        : g_(g), sharing_(g), b_(&store_unchanged, g.size), place_(g.size), uses_(g.size), user_(g.size), absorbed_(g.size),
          product_(g.size), kind_(g.size), scale_(g.size) {
        for (node_index i = 0; i < g.size; ++i) {
            const node& n = g.nodes[i];
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
                ++uses_.at[n.operand[k]];
                user_.at[n.operand[k]] = i;
            }
        }
        for (std::size_t k = 0; k < g.output_count; ++k) uses_.at[g.outputs[k]] += 2; // an output stays
    }

    constexpr graph run() {
        find_products();
        sharing_.run();
        for (product& p : sharing_.products) {
            if (p.count == 2 && !p.term) move_coefficient(p);
        }
        for (node_index i = 0; i < g_.size; ++i) {
            if (g_.nodes[i].op == opcode::constant) place_.at[i] = b_.add(g_.nodes[i]); // products far up may come to share it
        }
        for (node_index i = 0; i < g_.size; ++i) {
            if (!absorbed_.at[i] && kind_.at[i] != kind::term) place_.at[i] = rebuilt(i);
        }
        return static_cast<builder&&>(b_).finish_copy(g_, place_);
    }

private:
    struct term {
        node_index value = no_node; ///< in the new graph; nothing when the term has joined another
        double coefficient = 1;     ///< positive
        bool negative = false;
    };
    struct sum_part {
        node_index at = 0;
        bool negative = false;
    };
    static constexpr int most_terms = 64; ///< of a sum; a longer one is a sum of sums

    /// What a node is here. A term is a product that is part of one sum and of nothing else.
    enum class kind : std::uint8_t { other, constant, sum, product, term };

    [[nodiscard]] constexpr bool is_sum(node_index i) const { return kind_.at[i] == kind::sum; }
    [[nodiscard]] constexpr bool is_term(node_index i) const { return kind_.at[i] == kind::term; }
    [[nodiscard]] constexpr bool is_constant(node_index i) const {
        return i < g_.size && kind_.at[i] == kind::constant;
    }
    /// Of a product: whether it may lose or gain factors: it has no constant that would make others overflow or vanish.
    [[nodiscard]] constexpr bool is_open(const node& n) const {
        const node& x = g_.nodes[n.operand[0]]; // where the canonical form has constants
        return x.op != opcode::constant || is_moderate(constant_value(x).high);
    }
    /// Whether a node is a sum and part of one other node only.
    [[nodiscard]] constexpr bool is_part(node_index i) const {
        return uses_.at[i] == 1 && (g_.nodes[i].op == opcode::add || g_.nodes[i].op == opcode::sub);
    }
    /// Which operand of a sum is the sum that it goes on with: the first, unless of an addition only the second is one.
    [[nodiscard]] constexpr int chain(const node& n) const {
        return n.op == opcode::add && is_part(n.operand[1]) && !is_part(n.operand[0]) ? 1 : 0;
    }
    [[nodiscard]] constexpr product& product_of(node_index i) { return sharing_.products.at[product_.at[i]]; }

    /// Finds what the nodes are, users first; marks those that dissolve in the product or sum that alone uses them; collects
    /// the factors of the products that are left.
    constexpr void find_products() {
        list<node_index> whole(g_.size);         // the product or sum that a node is part of
        list<node_index> further_parts(g_.size); // than two
        list<node_index> products(g_.size);
        std::size_t left = g_.size;
        for (node_index i = static_cast<node_index>(g_.size); i-- > 0;) {
            const node& n = g_.nodes[i];
            if (n.op == opcode::constant && constant_value(n).low == 0) kind_.at[i] = kind::constant;
            if (n.op > opcode::mul || n.op < opcode::add) continue;
            kind_.at[i] = n.op == opcode::mul ? kind::product : kind::sum;
            whole.at[i] = i;
            if (uses_.at[i] == 1) {
                const node_index user = user_.at[i];
                const node& u = g_.nodes[user];
                bool dissolves = false;
                if (n.op != opcode::mul) {
                    dissolves = kind_.at[user] == kind::sum && u.operand[chain(u)] == i;
                } else if (kind_.at[user] == kind::sum) {
                    kind_.at[i] = kind::term;
                } else {
                    dissolves = u.op == opcode::mul && is_open(n) && is_open(u);
                }
                const node_index into = whole.at[user];
                if (dissolves && further_parts.at[into] + 2 < static_cast<node_index>(n.op == opcode::mul ? product::most : most_terms)) {
                    ++further_parts.at[into];
                    whole.at[i] = into;
                    absorbed_.at[i] = true;
                    continue;
                }
            }
            if (n.op == opcode::mul) products.at[--left] = i;
        }
        sharing_.products = list<product>(g_.size - left);
        for (std::size_t k = 0; left + k < g_.size; ++k) collect_product(sharing_.products.at[k], products.at[left + k], k);
    }
    constexpr void collect_product(product& p, node_index i, std::size_t at) {
        product_.at[i] = static_cast<node_index>(at);
        p.root = i;
        p.term = is_term(i);
        node_index pending[product::most] = {g_.nodes[i].operand[1], g_.nodes[i].operand[0]};
        for (int left = 2; left > 0;) {
            const node_index f = pending[--left];
            const node& n = g_.nodes[f];
            if (absorbed_.at[f]) {
                pending[left++] = n.operand[1];
                pending[left++] = n.operand[0];
            } else if (p.term && p.constant == no_node && is_constant(f) && is_moderate(constant_value(n).high)) {
                p.coefficient = constant_value(n).high;
                p.constant = f;
            } else {
                p.factor[p.count++] = f;
            }
        }
        sharing_.expect(p);
    }

    /// A constant that a moderate power of two multiplies without rounding, overflow or underflow: in constant evaluation g++ has no
    /// numbers beyond the largest, and clang does not compute with NaN.
    static constexpr bool is_scalable(double c) {
        const double size = c < 0 ? -c : c;
        return c == 0 || (size >= 0x1p-1000 && size <= 0x1p1000);
    }
    /// A product of two factors, c·(sum), becomes the sum with c in all its terms, where that is one multiplication less.
    constexpr void move_coefficient(product& p) {
        const int k = is_constant(p.factor[0]) ? 0 : 1;
        const node_index constant = p.factor[k], s = p.factor[1 - k];
        if (!is_constant(constant) || s >= g_.size || !is_sum(s) || uses_.at[s] != 1) return;
        const double c = constant_value(g_.nodes[constant]).high;
        if (!product_sharing::is_power_of_two(c) || !is_moderate(c)) return; // others round, and what cancels then loses digits
        int before = 1, after = 0, constants = 0;
        for (int j = 0; j < 2; ++j) {
            const node_index x = g_.nodes[s].operand[j];
            if (is_constant(x)) {
                if (!is_scalable(constant_value(g_.nodes[x]).high)) return;
                ++constants;
                continue;
            }
            if (is_sum(x) && absorbed_.at[x]) return; // a longer sum: not worth the look
            const double own = is_term(x) ? product_of(x).coefficient : 1;
            before += own != 1 && own != -1;
            after += own * c != 1 && own * c != -1;
        }
        // (A product fused with an addition is none: c·(a + x) = c·a + c·x.)
        if (after > before || (after == before && constants == 0)) return;
        scale_.at[s] = c;
        p.changed = true;
        p.count = 1;
        p.factor[0] = s;
    }

    constexpr node_index rebuilt(node_index i) {
        if (kind_.at[i] == kind::product) return value(product_of(i), g_.nodes[i].type);
        if (kind_.at[i] == kind::sum) return sum(i);
        node n = g_.nodes[i];
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) n.operand[k] = place_.at[n.operand[k]];
        return b_.add(n);
    }
    /// A product without its coefficient.
    constexpr node_index value(const product& p, element type) {
        if (!p.changed) {
            node_index left_out = p.constant;
            return as_written(p.root, left_out);
        }
        node_index result = factor_value(p.factor[0], type);
        for (int k = 1; k < p.count; ++k) result = emit(opcode::mul, result, factor_value(p.factor[k], type), type);
        return result;
    }
    /// The product with its factors grouped as they were, without one constant.
    constexpr node_index as_written(node_index i, node_index& left_out) {
        const node& n = g_.nodes[i];
        const node_index x = part(n.operand[0], left_out), y = part(n.operand[1], left_out);
        if (x == no_node) return y;
        return y == no_node ? x : emit(opcode::mul, x, y, n.type);
    }
    constexpr node_index part(node_index x, node_index& left_out) {
        if (x == left_out) return left_out = no_node;
        return absorbed_.at[x] ? as_written(x, left_out) : place_.at[x];
    }
    constexpr node_index factor_value(node_index f, element type) {
        if (f < g_.size) return place_.at[f];
        factor_pair& pair = sharing_.pairs.at[f - g_.size]; // its id is its place here
        if (pair.id == no_node)
            pair.id = emit(opcode::mul, factor_value(pair.first, type), factor_value(pair.second, type), type);
        return pair.id;
    }
    constexpr node_index emit(opcode op, node_index x, node_index y, element type) {
        const bool swap = op == opcode::mul && y < x; // one order, so that equal products meet
        return b_.add({.op = op, .type = type, .operand = {swap ? y : x, swap ? x : y, 0}});
    }

    constexpr node_index sum(node_index i) {
        const element type = g_.nodes[i].type;
        const node_index x = plain_term(i, g_.nodes[i].operand[0]), y = plain_term(i, g_.nodes[i].operand[1]);
        if (x != no_node && y != no_node) return emit(g_.nodes[i].op, x, y, type); // most sums
        find_terms(i);
        const list<term>& terms = terms_;
        for (std::size_t k = 0; k < terms.count; ++k) {
            if (terms.at[k].coefficient != 1) gather(k, type);
        }
        std::size_t first = 0; // a term to begin with that needs no change of sign
        while (first < terms.count && (terms.at[first].negative || terms.at[first].value == no_node)) ++first;
        const bool all_negative = first == terms.count;
        if (all_negative) first = 0;
        while (terms.at[first].value == no_node) ++first;
        node_index result = scaled(terms.at[first], type);
        for (std::size_t k = 0; k < terms.count; ++k) {
            if (k == first || terms.at[k].value == no_node) continue;
            const bool minus = terms.at[k].negative != all_negative;
            result = emit(minus ? opcode::sub : opcode::add, result, scaled(terms.at[k], type), type);
        }
        return all_negative ? emit(opcode::neg, result, 0, type) : result;
    }
    /// The operand x of the sum i, if it is a term without a coefficient.
    constexpr node_index plain_term(node_index i, node_index x) {
        if (scale_.at[i] != 0 || absorbed_.at[x]) return no_node;
        if (!is_term(x)) return place_.at[x];
        const product& p = product_of(x);
        return p.coefficient == 1 ? value(p, g_.nodes[x].type) : no_node;
    }
    constexpr void find_terms(node_index i) {
        terms_.count = 0;
        pending_.push_back({i, false});
        const double scale = scale_.at[i] != 0 ? scale_.at[i] : 1;
        while (!pending_.empty()) {
            const sum_part next = pending_.back();
            pending_.pop_back();
            const node& n = g_.nodes[next.at];
            if (next.at == i || (absorbed_.at[next.at] && is_sum(next.at))) {
                const int first = chain(n);
                pending_.push_back({n.operand[1 - first], n.op == opcode::sub});
                pending_.push_back({n.operand[first], false});
                continue;
            }
            double coefficient = scale;
            node_index x = no_node;
            if (is_term(next.at)) {
                coefficient *= product_of(next.at).coefficient;
                x = value(product_of(next.at), n.type);
            } else if (is_constant(next.at)) {
                x = scale == 1 ? place_.at[next.at] : b_.constant(exact(constant_value(n).high * scale), n.type);
                coefficient = 1;
            } else {
                x = place_.at[next.at];
            }
            const bool minus = coefficient < 0;
            terms_.push_back({x, minus ? -coefficient : coefficient, next.negative != minus});
        }
    }
    /// c·x + ... + c·y, from term k on, as the one term c·(x + y) in the last one's place: what stands between is added up meanwhile.
    constexpr void gather(std::size_t k, element type) {
        for (std::size_t j = k + 1; j < terms_.count; ++j) {
            term &one = terms_.at[k], &other = terms_.at[j];
            if (other.coefficient != one.coefficient) continue;
            const bool minus = other.negative != one.negative;
            other.value = emit(minus ? opcode::sub : opcode::add, one.value, other.value, type);
            other.negative = one.negative;
            one = {};
            k = j;
        }
    }
    constexpr node_index scaled(const term& t, element type) {
        if (t.coefficient == 1) return t.value;
        return emit(opcode::mul, b_.constant(exact(t.coefficient), type), t.value, type);
    }

    graph_view g_;
    product_sharing sharing_;
    builder b_;
    list<node_index> place_;
    list<node_index> uses_;
    list<node_index> user_;    ///< the last one: the only one of a node with one use
    list<bool> absorbed_;      ///< part of the product or sum that uses it
    list<node_index> product_; ///< of a whole product: its place in sharing_.products
    list<kind> kind_;
    list<double> scale_;       ///< of a sum: a factor of all its terms, or 0 for none
    list<term> terms_;         ///< of the sum at hand, and what is left to look at: lists of the whole pass, because nvcc loses
    list<sum_part> pending_;   ///< the memory of some of many that are made for a sum each
};

/// The graph with its products and sums put together anew.
constexpr graph reassociate(graph_view g) {
    return reassociation(g).run();
}

} // namespace dyad
