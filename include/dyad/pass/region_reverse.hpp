// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Reverse mode through loops and branches. The adjoint of a loop is a loop that runs the other way: its carries are the
// cotangents of the loop's carries and the sums for what the body captures; its body is the pullback of the body. What it
// needs of each round is a history of the loop. The adjoint of a branch is a branch between the pullbacks.
#pragma once

#include <dyad/pass/region_scope.hpp>
#include <dyad/pass/residuals.hpp>
#include <dyad/pass/reverse.hpp>
#include <dyad/pass/substitute.hpp>

namespace dyad {

/// The adjoints of a region's results, by their number, and of its histories.
struct region_cotangents {
    list<node_index> of_result; ///< no_node where there is none
    list<node_index> values;    ///< of the histories: their values ...
    list<node_index> of_values; ///< ... and the adjoints of the histories
    bool any = false;

    constexpr region_cotangents(builder& b, node_index region, std::size_t results, const list<contribution>& adjoint)
        : of_result(results, no_node) {
        contributions sum(b);
        for (node_index i = region + 1; i < adjoint.size(); ++i) {
            const node n = b[i]; // a copy: numbers append nodes
            if (adjoint[i].nothing() || n.operand[0] != region) continue;
            if (n.op == opcode::result && n.bits < results) of_result[n.bits] = sum.number(adjoint[i]);
            if (n.op == opcode::history) {
                values.push_back(n.operand[1]);
                const node_index cotangent = sum.number(adjoint[i]);
                of_values.push_back(b[cotangent].rank == 0 ? cotangent : b.broadcast_to(cotangent, i)); // (a number is for all)
            }
            any = any || n.op == opcode::result || n.op == opcode::history;
        }
    }
    /// That of result k, 0 where there is none.
    constexpr node_index number(builder& b, std::size_t k, node_index like) const {
        return of_result[k] != no_node ? of_result[k] : zero_like(b, like);
    }
};

constexpr bool is_zero(const builder& b, node_index x) {
    return b.is_constant(x) && constant_value(b[x]) == 0.0;
}

constexpr void add_to(builder& b, contribution& adjoint, node_index part) {
    if (!is_zero(b, part)) adjoint = contributions(b).plus(adjoint, {part, no_node});
}

/// One loop's adjoint.
class loop_pullback {
public:
    constexpr loop_pullback(builder& b, node_index loop, const list<bool>& active, list<contribution>& adjoint)
        : b_(b), loop_(loop), adjoint_(adjoint), carries_(bindings(b.nodes.data(), loop)),
          given_(b, loop, carries_.size(), adjoint) {
        if (!given_.any) return;
        index_ = b.add(index_parameter_of(b[loop]));
        back_ = b.parameter(element::integer);
        collect(active);
        differentiate();
        keep();
        settle();
        finish(active);
    }

private:
    struct cotangent {
        node_index carry = no_node; ///< no_node: a sum for something captured
        node_index of = no_node;    ///< whose adjoint it is: the carry's first value, or what is captured
        node_index parameter = no_node;
        node_index first = no_node;
        node_index next = no_node;
        bool constant = false; ///< it is its first value all the way
        bool outer = false;    ///< a sum of outer products, which waits for all rounds
    };

    /// What is differentiated by what.
    constexpr void collect(const list<bool>& active) {
        for (std::size_t k = 0; k < carries_.size(); ++k) {
            const node c = b_[carries_[k]];
            const node_index own = b_.add(parameter_of(c));
            if (own >= active.size() || !active[own]) continue;
            const node_index parameter = b_.parameter(c.type, shape_of(c));
            rounds_.push_back({carries_[k], c.operand[1], parameter, first_cotangent(k, c.operand[1], own), no_node});
            outputs_.push_back(c.operand[2]);
            cotangents_.push_back(parameter);
            by_.push_back(own);
        }
        for (std::size_t k = 0; k < given_.values.size(); ++k) {
            const node v = b_[given_.values[k]];
            outputs_.push_back(given_.values[k]);
            cotangents_.push_back(b_.parameter(v.type, shape_of(v))); // (the element itself may contain the loop)
            stand_ins_.push_back(cotangents_.back());
            stood_for_.push_back(at(b_, given_.of_values[k], back_));
        }
        const region_scope scope(b_, loop_, loop_roots(b_.nodes.data(), carries_, given_.values));
        for (const node_index x : scope.captured) {
            if (!active[x] || b_[x].op == opcode::history) continue;
            const node n = b_[x];
            rounds_.push_back({no_node, x, b_.parameter(n.type, shape_of(n)), zero_like(b_, x), no_node});
            by_.push_back(x);
        }
        for (const node_index x : scope.elements) {
            if (!active[x]) continue;
            elements_.push_back(x);
            by_.push_back(x);
        }
    }
    /// That of the last value of carry k, like its first value; of several directions at once it would have more axes.
    constexpr node_index first_cotangent(std::size_t k, node_index like, node_index own) {
        const node_index given = as_type(b_, given_.number(b_, k, like), own);
        refuse_directions(b_[given].rank > b_[own].rank);
        return b_.broadcast_to(given, like);
    }
    constexpr void differentiate() {
        results_ = pullback<every_rule>(b_, outputs_, cotangents_, by_);
    }
    /// Replaces what the forward rounds know by its histories.
    constexpr void keep() {
        const free_parameters free(b_.nodes.data(), b_.size());
        const list<bool> wanted = reached(b_.nodes.data(), b_.size(), results_);
        list<bool> later(b_.size());
        for (const node_index x : cotangents_) later[x] = true;
        for (node_index i = 0; i < b_.size(); ++i) {
            for (int k = 0; k < b_[i].arity() && !later[i]; ++k) later[i] = later[b_[i].operand[k]];
        }
        const list<std::uint64_t> own = free.bound_by(loop_), inner = free.bound_within(loop_, wanted);
        list<node_index> from = residual_choice(b_, free, index_, own, inner).of(results_, later), to;
        for (const node_index x : from) to.push_back(at(b_, history(b_, loop_, x), back_));
        from.push_back(index_);
        to.push_back(back_);
        for (std::size_t k = 0; k < stand_ins_.size(); ++k) {
            from.push_back(stand_ins_[k]);
            to.push_back(stood_for_[k]);
        }
        results_ = substitute(b_, results_, from, to);
        for (std::size_t k = 0; k < rounds_.size(); ++k) rounds_[k].next = as_type(b_, results_[k], rounds_[k].parameter);
    }
    /// Cotangents that no round changes are no carries.
    constexpr void settle() {
        for (bool changed = true; changed;) {
            changed = false;
            list<node_index> from, to;
            for (cotangent& c : rounds_) {
                const bool same = (c.carry != no_node && c.next == c.parameter) || (is_zero(b_, c.first) && is_zero(b_, c.next));
                if (c.constant || !same) continue;
                c.constant = changed = true;
                from.push_back(c.parameter);
                to.push_back(c.first);
            }
            if (!changed) return;
            list<node_index> roots;
            for (const cotangent& c : rounds_) roots.push_back(c.next);
            for (std::size_t k = rounds_.size(); k < results_.size(); ++k) roots.push_back(results_[k]);
            roots = substitute(b_, roots, from, to);
            for (std::size_t k = 0; k < roots.size(); ++k) (k < rounds_.size() ? rounds_[k].next : results_[k]) = roots[k];
        }
    }
    constexpr void finish(const list<bool>& active) {
        const node n = b_[loop_];
        node_index chain = no_links(b_);
        for (cotangent& c : rounds_) {
            c.outer = c.carry == no_node && is_outer_product(c.next);
            if (c.constant || c.outer) continue;
            if (c.carry == no_node) c.next = b_.emit(opcode::add, c.parameter, c.next);
            chain = b_.add({.op = opcode::carry, .type = b_[c.parameter].type, .rank = b_[c.parameter].rank,
                            .ones = b_[c.parameter].ones, .operand = {chain, c.first, c.next}, .bits = b_[c.parameter].bits});
        }
        const bool falls = n.op == opcode::loop && (n.bits & 1) != 0;
        const node_index rounds = n.op == opcode::loop
                                      ? n.operand[0]
                                      : region_result(b_, loop_, rounds_result, {.type = element::integer});
        const node_index back =
            b_.add({.op = opcode::loop, .operand = {rounds, chain, 0}, .bits = b_[back_].bits << 1 | (falls ? 0U : 1U)});
        std::size_t next = 0;
        for (const cotangent& c : rounds_) {
            const node_index result = c.constant ? c.first
                                      : c.outer  ? sum_of_outer_products(back, c.next)
                                                 : region_result(b_, back, next++, b_[c.parameter]);
            if (active[c.of]) add_to(b_, adjoint_[c.of], result);
        }
        for (std::size_t k = 0; k < elements_.size(); ++k) {
            const node_index part = results_[rounds_.size() + k];
            if (!is_zero(b_, part)) add_to(b_, adjoint_[b_[elements_[k]].operand[0]], history(b_, back, part));
        }
    }

    /// Whether the plan of arrays knows the number of rounds as a size (dimensions::rounds_of).
    [[nodiscard]] constexpr bool counts_as_size() const {
        const opcode count = b_[b_[loop_].operand[0]].op;
        return b_[loop_].op == opcode::loop &&
               (count == opcode::constant || count == opcode::input || count == opcode::extent || count == opcode::parameter);
    }
    /// A column times a row: the sum of all rounds' is one matrix product, of what is kept of the rounds.
    [[nodiscard]] constexpr bool is_outer_product(node_index x) const {
        const node& n = b_[x];
        return counts_as_size() && n.op == opcode::matmul && n.rank == 2 && (b_[n.operand[0]].ones & 1) != 0 && (b_[n.operand[1]].ones & 2) != 0 &&
               b_[n.operand[0]].rank == 2 && b_[n.operand[1]].rank == 2;
    }
    constexpr node_index sum_of_outer_products(node_index back, node_index product) {
        const node n = b_[product];
        const std::uint64_t swapped = (identity_permutation & ~std::uint64_t{0xff}) | 0x01;
        const node_index columns = b_.emit({.op = opcode::transpose, .operand = {all_rounds(back, n.operand[0], 1), 0, 0}, .bits = swapped});
        return b_.emit(opcode::matmul, columns, all_rounds(back, n.operand[1], 2));
    }
    /// A vector, as a matrix along one of whose axes there is one element only, by rounds.
    constexpr node_index all_rounds(node_index back, node_index x, std::uint64_t axis) {
        const node n = b_[x];
        const bool expanded = n.op == opcode::expand && n.bits == axis;
        const node_index vector = expanded ? n.operand[0] : b_.emit({.op = opcode::squeeze, .operand = {x, 0, 0}, .bits = axis});
        const bool there = b_[vector].op == opcode::at && b_[vector].operand[1] == back_;
        return there ? b_[vector].operand[0] : history(b_, back, vector);
    }

    builder& b_;
    node_index loop_, index_ = no_node, back_ = no_node;
    list<contribution>& adjoint_;
    list<node_index> carries_;
    region_cotangents given_;
    list<cotangent> rounds_;
    list<node_index> outputs_, cotangents_, stand_ins_, stood_for_, by_, elements_, results_;
};

/// A branch's adjoint: a branch on the same condition; the cotangents of the results are bound like arguments.
constexpr void pull_branch(builder& b, node_index i, const list<bool>& active, list<contribution>& adjoint) {
    const node n = b[i];
    const list<node_index> binds = bindings(b.nodes.data(), i), choices = links(b.nodes.data(), n.operand[2]);
    const region_cotangents given(b, i, choices.size(), adjoint);
    if (!given.any) return;
    list<node_index> by, of, cotangents, outputs[2];
    node_index chain = n.operand[1];
    for (const node_index bind : binds) {
        const node_index own = b.add(parameter_of(b[bind]));
        if (own >= active.size() || !active[own]) continue;
        by.push_back(own);
        of.push_back(b[bind].operand[1]);
    }
    for (std::size_t k = 0; k < choices.size(); ++k) {
        if (given.of_result[k] == no_node) continue;
        const node c = b[choices[k]];
        const node_index cotangent = given.of_result[k];
        cotangents.push_back(b.parameter(c.type, shape_of(b[cotangent])));
        chain = link(b, opcode::bind, chain, as_type(b, cotangent, cotangents.back()), 0, b[cotangents.back()].bits);
        for (const int arm : {0, 1}) outputs[arm].push_back(c.operand[1 + arm]);
    }
    const list<node_index> then = pullback<every_rule>(b, outputs[0], cotangents, by);
    const list<node_index> other = pullback<every_rule>(b, outputs[1], cotangents, by);
    node_index results = no_links(b);
    for (std::size_t k = 0; k < by.size(); ++k)
        results = link(b, opcode::choice, results, as_type(b, then[k], by[k]), as_type(b, other[k], by[k]));
    const node_index back = b.add({.op = opcode::branch, .operand = {n.operand[0], chain, results}});
    for (std::size_t k = 0; k < by.size(); ++k) add_to(b, adjoint[of[k]], region_result(b, back, k, b[by[k]]));
}

/// A rule's own cotangents, or those of the pushforward that a rule describes.
constexpr void pull_custom(builder& b, node_index i, const list<bool>& active, list<contribution>& adjoint) {
    const custom_parts parts(b, i);
    const region_cotangents given(b, i, parts.results, adjoint);
    if (!given.any) return;
    for (std::size_t k = 0; k < parts.arguments; ++k) {
        const node_index of = parts.bound[k];
        if (!active[of]) continue;
        if (b[i].bits == 0) {
            list<node_index> along;
            for (std::size_t r = 0; r < parts.results; ++r) along.push_back(given.number(b, r, parts.bound[parts.arguments + r]));
            add_to(b, adjoint[of], parts.rule(b, i, along)[k]);
        } else {
            const list<node_index> column = parts.rule(b, i, parts.unit(b, k, parts.arguments));
            for (std::size_t r = 0; r < parts.results; ++r) {
                if (given.of_result[r] != no_node) add_to(b, adjoint[of], b.emit(opcode::mul, column[r], given.of_result[r]));
            }
        }
    }
}

/// The body's pullback, on arguments from which all is computed again.
constexpr void pull_checkpoint(builder& b, node_index i, const list<bool>& active, list<contribution>& adjoint) {
    const node n = b[i];
    const list<node_index> binds = bindings(b.nodes.data(), i), body = links(b.nodes.data(), n.operand[2]);
    const region_cotangents given(b, i, body.size(), adjoint);
    if (!given.any) return;
    list<node_index> from, to, by, of, outputs, cotangents;
    for (const node_index bind : binds) {
        const node_index own = b.add(parameter_of(b[bind])), value = b[bind].operand[1];
        from.push_back(own);
        node fresh{.op = opcode::again, .type = b[value].type, .operand = {value, 0, 0}};
        set_shape(fresh, shape_of(b[value]));
        to.push_back(b.add(fresh));
        if (own >= active.size() || !active[own]) continue;
        by.push_back(own);
        of.push_back(value);
    }
    for (std::size_t k = 0; k < body.size(); ++k) {
        if (given.of_result[k] == no_node) continue;
        const node e = b[body[k]];
        outputs.push_back(e.operand[1]);
        cotangents.push_back(b.parameter(e.type, shape_of(e))); // (the cotangent itself may contain the checkpoint)
        from.push_back(cotangents.back());
        to.push_back(given.of_result[k]);
    }
    const list<node_index> parts = substitute(b, pullback<every_rule>(b, outputs, cotangents, by), from, to);
    for (std::size_t k = 0; k < by.size(); ++k) add_to(b, adjoint[of[k]], parts[k]);
}

constexpr void pull_region(builder& b, node_index i, const list<bool>& active, list<contribution>& adjoint) {
    switch (b[i].op) {
    case opcode::loop:
    case opcode::repeat: loop_pullback(b, i, active, adjoint); break;
    case opcode::branch: pull_branch(b, i, active, adjoint); break;
    case opcode::custom: pull_custom(b, i, active, adjoint); break;
    case opcode::checkpoint: pull_checkpoint(b, i, active, adjoint); break;
    case opcode::again:
        if (!adjoint[i].nothing()) adjoint[b[i].operand[0]] = contributions(b).plus(adjoint[b[i].operand[0]], adjoint[i]);
        break;
    default: break; // parts of the others
    }
}

} // namespace dyad
