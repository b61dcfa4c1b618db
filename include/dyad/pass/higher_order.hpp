// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The n-th derivative by one number, in a number of operations that grows with n², where partial derivatives are made of a few
// functions, or a higher power, where each order brings new ones; not exponentially, as that of derivatives of derivatives does. Each node's derivatives come from those of its operands and of its partial derivatives, which are lower in
// order, by Leibniz' rule: r' = Σ x' p, and so r⁽ᵏ⁾ = Σ over operands Σⱼ C(k-1, j-1) x⁽ʲ⁾ p⁽ᵏ⁻ʲ⁾. (The recurrences of Taylor arithmetic,
// Griewank and Walther, Evaluating Derivatives, chapter 13, in derivatives instead of coefficients: the factors are whole numbers.)
#pragma once

#include <dyad/graph/region.hpp>
#include <dyad/pass/contribution.hpp>
#include <dyad/pass/partial_rules.hpp>

namespace dyad {

/// Of nodes without loops, branches and rules between them.
template <class Rules>
class higher_order {
public:
    constexpr higher_order(builder& b, node_index by, int order) : b_(b), sum_(b), by_(by), order_(static_cast<std::size_t>(order)) {}

    /// dⁿ output/d byⁿ
    constexpr node_index of(node_index output) {
        const list<bool> wanted = reached(b_.nodes.data(), std::size_t{output} + 1, {output});
        for (node_index i = 0; i <= output; ++i) { // in the order of the graph: what recurs are partial derivatives alone
            for (std::size_t k = 1; wanted[i] && k <= order_; ++k) at(i, k);
        }
        return sum_.number(at(output, order_), b_[output].type);
    }

private:
    /// The k-th derivative of node i.
    constexpr contribution at(node_index i, std::size_t k) {
        if (k == 0) return sum_.of(tracer(b_, i));
        while (row_.size() <= i) row_.push_back(no_node);
        if (row_[i] == no_node) {
            row_[i] = static_cast<node_index>(known_.size());
            for (std::size_t j = 0; j < order_; ++j) {
                all_.push_back({});
                known_.push_back(false);
            }
        }
        const std::size_t place = row_[i] + k - 1;
        if (known_[place]) return all_[place];
        const contribution result = derivative(i, k);
        known_[place] = true;
        all_[place] = result;
        return result;
    }
    constexpr contribution derivative(node_index i, std::size_t k) {
        if (i == by_) return k == 1 ? contribution{b_.constant(exact(1), b_[i].type), no_node} : contribution{};
        const node n = b_[i]; // a copy: derivatives append nodes
        if (n.arity() == 0 || operation_table[static_cast<std::size_t>(n.op)].flat) return {};
        if (n.is(opcode::mul)) return of_product(n, k);
        if (n.is(opcode::div)) return of_quotient(i, n, k);
        contribution result;
        for (int q = conditions_of(n.op); q < n.arity(); ++q) result = sum_.plus(result, along(i, n, q, k));
        return result;
    }
    /// What comes through operand q of node i, a copy of which is n.
    constexpr contribution along(node_index i, const node& n, int q, std::size_t k) {
        const node_index x = n.operand[q];
        bool moves = false;
        for (std::size_t j = 1; j <= k; ++j) moves = !at(x, j).nothing() || moves;
        if (!moves) return {};
        const tracer partial = rules_.partial_derivative(b_, n, i, q);
        if (partial.home() == nullptr) return at(x, k).nothing() ? contribution{} : sum_.times(at(x, k), partial);
        const node_index p = partial.in(b_);
        contribution result;
        for (std::size_t j = 1; j <= k; ++j) result = sum_.plus(result, product(x, j, p, k - j, binomial(k - 1, j - 1)));
        return result;
    }
    constexpr contribution of_product(const node& n, std::size_t k) {
        contribution result;
        for (std::size_t j = 0; j <= k; ++j) result = sum_.plus(result, product(n.operand[0], j, n.operand[1], k - j, binomial(k, j)));
        return result;
    }
    /// From x = r y: r⁽ᵏ⁾ = (x⁽ᵏ⁾ - Σ C(k, j) y⁽ʲ⁾ r⁽ᵏ⁻ʲ⁾) / y.
    constexpr contribution of_quotient(node_index r, const node& n, std::size_t k) {
        contribution result = at(n.operand[0], k);
        for (std::size_t j = 1; j <= k; ++j) result = sum_.plus(result, product(n.operand[1], j, r, k - j, -binomial(k, j)));
        return result.nothing() ? result : contribution{b_.emit(opcode::div, result.value, n.operand[1]), result.mask};
    }
    /// factor x⁽ʲ⁾ y⁽ᵐ⁾
    constexpr contribution product(node_index x, std::size_t j, node_index y, std::size_t m, double factor) {
        const contribution first = at(x, j);
        if (first.nothing()) return {};
        const contribution second = at(y, m);
        if (second.nothing()) return {};
        return sum_.times(sum_.times(first, second), tracer(factor));
    }
    static constexpr double binomial(std::size_t n, std::size_t k) {
        double result = 1;
        for (std::size_t j = 1; j <= k; ++j) result = result * static_cast<double>(n - k + j) / static_cast<double>(j); // whole each time
        return result;
    }

    builder& b_;
    contributions sum_;
    rule_lookup<Rules> rules_;
    node_index by_;
    std::size_t order_;
    list<node_index> row_; ///< by node: where in `all_` its derivatives begin
    list<contribution> all_;
    list<bool> known_;
};

} // namespace dyad
