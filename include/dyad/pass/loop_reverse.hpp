// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Reverse mode through loops. The adjoint of a loop is a loop that runs the other way: its carries are the cotangents of the
// loop's carries and the sums for what the body captures; its body is the pullback of the body. What it needs of each round
// is a history of the loop; or, if the loop stores few states, the adjoint is a sweep, beside which the loop runs again.
#pragma once

#include <dyad/pass/region_cotangents.hpp>
#include <dyad/pass/residuals.hpp>
#include <dyad/pass/reverse.hpp>
#include <dyad/pass/row_sums.hpp>

namespace dyad {

/// The links of kind `from` as a chain of kind `to`: what goes round a loop as what a sweep replays, and the reverse.
constexpr node_index chained_as(builder& b, const list<node_index>& all, opcode from, opcode to) {
    node_index chain = no_links(b);
    for (const node_index k : all) {
        node n = b[k];
        if (n.op != from) continue;
        n.op = to;
        n.operand[0] = chain;
        chain = b.add(n);
    }
    return chain;
}

/// A substitution that leaves some nodes as they are: what stands outside of a loop may hold clones of loops within it, which
/// bind the same parameters.
constexpr void keep_as_it_is(const list<node_index>& nodes, list<node_index>& from, list<node_index>& to) {
    for (const node_index x : nodes) {
        from.push_back(x);
        to.push_back(x);
    }
}

/// What goes round the adjoint loop. (Here and not within the class: nvcc cannot print initializers of a template's own types.)
struct loop_cotangent {
    node_index carry = no_node; ///< no_node: a sum for something captured
    node_index of = no_node;    ///< whose adjoint it is: the carry's first value, or what is captured
    node_index parameter = no_node;
    node_index first = no_node;
    node_index next = no_node;
    bool constant = false; ///< it is its first value all the way
    bool outer = false;    ///< a sum of outer products, which waits for all rounds
    bool silent = false;   ///< no result needs the carry
    list<row_sum> rows = {}; ///< a sum's parts that go to single rows, which wait, too
    bool all_rows = false; ///< which are all of it
};
/// A carry whose values are computed backwards: that of the loop, and which argument of the steps it is.
struct rebuilt_value {
    std::size_t carry = 0;
    std::size_t argument = 0;
    node_index parameter = no_node;
};

/// One loop's adjoint.
template <class Rules>
class loop_pullback {
public:
    constexpr loop_pullback(builder& b, node_index loop, const list<bool>& active, list<contribution>& adjoint)
        : b_(b), loop_(loop), adjoint_(adjoint), carries_(bindings(b.nodes.data(), loop)),
          given_(b, loop, carries_.size(), adjoint) {
        if (!given_.any) return;
        index_ = b.add(index_parameter_of(b[loop]));
        sweeps_ = stored_by(b[loop]).kind != storing::values;
        back_ = sweeps_ ? index_ : b.parameter(element::integer);
        collect(active);
        differentiate();
        silence();
        if (!sweeps_) rebuild();
        keep();
        settle();
        finish(active);
    }

private:
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
            const node_index element = at(b_, given_.of_values[k], back_);
            outputs_.push_back(given_.values[k]);
            cotangents_.push_back(stand_in(b_, given_.values[k], element)); // (the element itself may contain the loop)
            stand_ins_.push_back(cotangents_.back());
            stood_for_.push_back(element);
        }
        const region_scope scope(b_, loop_, loop_roots(b_.nodes.data(), carries_, given_.values));
        outside_ = scope.outside(b_);
        for (const node_index x : scope.captured) {
            if (!active[x]) continue;
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
        results_ = pullback<Rules>(b_, outputs_, cotangents_, by_);
    }
    /// Of what no result needs, the cotangents begin with 0, and stay 0 because they are made of such alone: the most of them for which
    /// that holds together. (Else 0 would meet the slopes of values that nobody asked for, infinite ones too. It is asked while all
    /// cotangents are parameters still, which nothing folds.)
    constexpr void silence() {
        list<bool> silent(cotangents_.size());
        list<list<bool>> made_of(cotangents_.size());
        for (std::size_t k = 0; k < rounds_.size() && rounds_[k].carry != no_node; ++k) {
            if (!is_zeros(b_, rounds_[k].first)) continue;
            made_of[k] = reached(b_.nodes.data(), b_.size(), {results_[k]});
            silent[k] = true;
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t k = 0; k < silent.size(); ++k) {
                for (std::size_t j = 0; j < silent.size() && silent[k]; ++j) {
                    if (silent[j] || !made_of[k][cotangents_[j]]) continue;
                    silent[k] = false;
                    changed = true;
                }
            }
        }
        for (std::size_t k = 0; k < silent.size(); ++k) {
            if (!silent[k]) continue;
            rounds_[k].silent = true;
            results_[k] = b_.constant(exact(0), b_[rounds_[k].parameter].type);
        }
    }
    /// A state that goes round by steps which can be computed backwards goes backwards with the cotangents.
    constexpr void rebuild() {
        node_index steps = no_node;
        for (const node_index c : carries_) {
            const node& next = b_[b_[c].operand[2]];
            if (next.is(opcode::result) && b_[next.operand[0]].is(opcode::invertible)) steps = next.operand[0];
        }
        if (steps == no_node) return;
        const invertible_parts parts(b_, steps);
        list<node_index> from, x;
        list<rebuilt_value> found;
        for (std::size_t k = 0; k < carries_.size(); ++k) {
            const node c = b_[carries_[k]], next = b_[c.operand[2]];
            if (!next.is(opcode::result) || next.operand[0] != steps) continue;
            const node_index own = b_.add(parameter_of(c));
            for (std::size_t j = 0; j < parts.size; ++j) {
                if (parts.argument_values[j] == own) found.push_back({k, j, b_.parameter(c.type, shape_of(c))});
            }
        }
        if (found.size() != parts.size) return;
        for (std::size_t r = 0; r < parts.size; ++r) x.push_back(region_result(b_, steps, r, b_[parts.results[r]]));
        for (std::size_t step = parts.steps; step-- > 0;) x = parts.back(b_, step, x);
        rebuilt_ = found;
        for (const rebuilt_value& v : rebuilt_) {
            from.push_back(b_[carries_[v.carry]].operand[2]);
            rebuilt_parameters_.push_back(v.parameter);
            results_.push_back(x[v.argument]);
        }
        results_ = substitute(b_, results_, from, rebuilt_parameters_);
    }
    /// Replaces what the forward rounds know by its histories; a sweep knows it.
    constexpr void keep() {
        list<node_index> from, to;
        if (!sweeps_) choose_histories(from, to);
        for (std::size_t k = 0; k < stand_ins_.size(); ++k) {
            from.push_back(stand_ins_[k]);
            to.push_back(stood_for_[k]);
        }
        results_ = substitute(b_, results_, from, to);
        for (std::size_t k = 0; k < rounds_.size(); ++k) {
            loop_cotangent& c = rounds_[k];
            c.next = c.silent ? c.first : b_.broadcast_to(as_type(b_, results_[k], c.parameter), c.parameter);
        }
    }
    constexpr void choose_histories(list<node_index>& from, list<node_index>& to) {
        const list<bool> wanted = reached(b_.nodes.data(), end_of(results_), results_);
        const free_parameters free(b_.nodes.data(), wanted);
        list<bool> later(b_.size());
        for (const node_index x : cotangents_) later[x] = true;
        for (const node_index x : rebuilt_parameters_) later[x] = true;
        for (node_index i = 0; i < wanted.count; ++i) {
            if (!wanted.at[i] || later.at[i]) continue;
            const node& n = b_.nodes.at[i];
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) later.at[i] = later.at[i] || later.at[n.operand[k]];
        }
        const list<std::uint64_t> own = free.bound_by(loop_), inner = free.bound_within(loop_);
        from = residual_choice(b_, free, index_, own, inner, wanted, loop_).of(results_, later);
        for (const node_index x : from) to.push_back(at(b_, history(b_, loop_, x), back_));
        from.push_back(index_);
        to.push_back(back_);
        keep_as_it_is(outside_, from, to);
    }
    /// Cotangents that no round changes are no carries.
    constexpr void settle() {
        for (bool changed = true; changed;) {
            changed = false;
            list<node_index> from, to;
            for (loop_cotangent& c : rounds_) {
                const bool same = (c.carry != no_node && c.next == c.parameter) || (is_zeros(b_, c.first) && is_zeros(b_, c.next));
                if (c.constant || !same) continue;
                c.constant = changed = true;
                from.push_back(c.parameter);
                to.push_back(c.first);
            }
            if (!changed) return;
            list<node_index> roots;
            for (const loop_cotangent& c : rounds_) roots.push_back(c.next);
            for (std::size_t k = rounds_.size(); k < results_.size(); ++k) roots.push_back(results_[k]);
            roots = substitute(b_, roots, from, to);
            for (std::size_t k = 0; k < roots.size(); ++k) (k < rounds_.size() ? rounds_[k].next : results_[k]) = roots[k];
        }
    }
    constexpr void finish(const list<bool>& active) {
        const node n = b_[loop_];
        node_index chain = sweeps_ ? chained_as(b_, carries_, opcode::carry, opcode::replay) : no_links(b_);
        for (loop_cotangent& c : rounds_) {
            if (c.carry == no_node && !sweeps_ && counts_as_size()) take_rows_out(c);
            c.outer = c.carry == no_node && !sweeps_ && is_outer_product(c.next);
            if (c.constant || c.outer) continue;
            if (c.carry == no_node) c.next = b_.emit(opcode::add, c.parameter, c.next);
            chain = b_.add({.op = opcode::carry, .type = b_[c.parameter].type, .rank = b_[c.parameter].rank,
                            .ones = b_[c.parameter].ones, .operand = {chain, c.first, c.next}, .bits = b_[c.parameter].bits});
        }
        const std::size_t inverses = rounds_.size() + elements_.size();
        for (std::size_t k = 0; k < rebuilt_.size(); ++k) {
            const node p = b_[rebuilt_[k].parameter];
            const node_index last = region_result(b_, loop_, rebuilt_[k].carry, p), next = as_type(b_, results_[inverses + k], rebuilt_[k].parameter);
            chain = b_.add({.op = opcode::carry, .type = p.type, .rank = p.rank, .ones = p.ones, .operand = {chain, last, next}, .bits = p.bits});
        }
        const node_index rounds = n.is(opcode::loop)
                                      ? n.operand[0]
                                      : region_result(b_, loop_, rounds_result, {.type = element::integer});
        const node_index back = sweeps_ ? b_.add({.op = opcode::sweep, .operand = {rounds, chain, 0}, .bits = n.bits})
                                        : b_.add({.op = opcode::loop, .operand = {rounds, chain, 0}, .bits = loop_bits(b_[back_].bits, !is_falling(n))});
        std::size_t next = sweeps_ ? carries_.size() : 0;
        for (const loop_cotangent& c : rounds_) {
            const node_index result = c.constant ? c.first
                                      : c.outer  ? sum_of_outer_products(back, c.next)
                                                 : region_result(b_, back, next++, b_[c.parameter]);
            if (!active[c.of]) continue;
            if (!c.all_rows) given_.add_to(b_, adjoint_[c.of], result);
            for (const row_sum& row : c.rows) given_.add_to(b_, adjoint_[c.of], sum_of_rows(b_, back, c.of, row));
        }
        for (std::size_t k = 0; k < elements_.size(); ++k) {
            node_index part = results_[rounds_.size() + k];
            if (!is_zero(b_, part)) part = b_.broadcast_to(part, at(b_, b_[elements_[k]].operand[0], back_));
            if (!is_zero(b_, part)) given_.add_to(b_, adjoint_[b_[elements_[k]].operand[0]], history(b_, back, part));
        }
    }

    /// Numbers that are added to an array; or rows, if the rounds are as many as the array has: what is kept of more is more than it.
    constexpr void take_rows_out(loop_cotangent& c) {
        const unsigned rank = b_[c.of].rank;
        const node counted = b_[b_[loop_].operand[0]];
        const bool by_rows = counted.is(opcode::extent) && counted.operand[0] == c.of && axes_of(counted.bits) == 1U << (rank - 1);
        if (rank == 0 || (rank > 1 && !by_rows)) return;
        const node_index rest = without_rows(b_, c.next, rank, c.rows);
        if (c.rows.empty()) return;
        c.constant = c.all_rows = rest == no_node;
        if (rest != no_node) c.next = b_.broadcast_to(rest, c.parameter);
    }
    /// Whether a plan of arrays will know the number of rounds as a size; as the index of a loop around, too, which the body is handed.
    /// (What else goes round there, the adjoint reads from what is kept of it.)
    [[nodiscard]] constexpr bool counts_as_size() const {
        const node_index rounds = b_[loop_].operand[0];
        if (!b_[loop_].is(opcode::loop) || !b_[rounds].is(opcode::parameter)) return b_[loop_].is(opcode::loop) && is_known_as_size(b_, rounds);
        for (node_index i = 0; i < b_.size(); ++i) {
            if (is_loop(b_[i].op) && index_number(b_[i]) == b_[rounds].bits) return true;
        }
        return false;
    }
    /// A column times a row: the sum of all rounds' is one matrix product, of what is kept of the rounds.
    [[nodiscard]] constexpr bool is_outer_product(node_index x) const {
        const node& n = b_[x];
        return counts_as_size() && n.is(opcode::matmul) && n.rank == 2 && (b_[n.operand[0]].ones & 1) != 0 && (b_[n.operand[1]].ones & 2) != 0 &&
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
        const bool expanded = n.is(opcode::expand) && n.bits == axis;
        const node_index vector = expanded ? n.operand[0] : b_.emit({.op = opcode::squeeze, .operand = {x, 0, 0}, .bits = axis});
        const bool there = b_[vector].is(opcode::at) && b_[vector].operand[1] == back_;
        return there ? b_[vector].operand[0] : history(b_, back, vector);
    }

    builder& b_;
    node_index loop_, index_ = no_node, back_ = no_node;
    bool sweeps_ = false; ///< few states are stored
    list<contribution>& adjoint_;
    list<node_index> carries_;
    region_cotangents given_;
    list<loop_cotangent> rounds_;
    list<rebuilt_value> rebuilt_;
    list<node_index> rebuilt_parameters_;
    list<node_index> outside_, outputs_, cotangents_, stand_ins_, stood_for_, by_, elements_, results_;
};

/// A sweep as two loops, one after the other: one that keeps all states, and one that reads them backwards.
struct unfolded_sweep {
    node_index back = no_node; ///< the second loop
    list<node_index> values;   ///< there, of the sweep's histories

    constexpr unfolded_sweep(builder& b, const node& sweep, const list<node_index>& binds, const list<node_index>& kept, const region_scope& scope) {
        const node_index index = b.parameter(element::integer);
        const node_index states = b.add({.op = opcode::loop, .operand = {sweep.operand[0], chained_as(b, binds, opcode::replay, opcode::carry), 0},
                                         .bits = loop_bits(index_number(sweep), false)});
        list<node_index> from{b.add(index_parameter_of(sweep))}, to{index}, roots;
        for (const node_index k : binds) {
            const node_index own = b.add(parameter_of(b[k]));
            if (b[k].is(opcode::carry)) {
                roots.push_back(b[k].operand[2]);
            } else {
                from.push_back(own);
                to.push_back(at(b, history(b, states, own), index));
            }
        }
        for (const node_index v : kept) roots.push_back(v);
        keep_as_it_is(scope.outside(b), from, to);
        roots = substitute(b, roots, from, to);
        node_index chain = no_links(b);
        std::size_t next = 0;
        for (const node_index k : binds) {
            node c = b[k];
            if (!c.is(opcode::carry)) continue;
            c.operand[0] = chain;
            c.operand[2] = roots[next++];
            chain = b.add(c);
        }
        for (; next < roots.size(); ++next) values.push_back(roots[next]);
        back = b.add({.op = opcode::loop, .operand = {sweep.operand[0], chain, 0}, .bits = loop_bits(b[index].bits, true)});
    }
};

/// A sweep's adjoint is that of the two loops, all of whose rounds are kept.
template <class Rules>
constexpr void pull_sweep(builder& b, node_index i, const list<bool>& active, list<contribution>& adjoint) {
    const list<node_index> binds = bindings(b.nodes.data(), i);
    const region_cotangents given(b, i, binds.size(), adjoint);
    if (!given.any) return;
    const node sweep = b[i];
    const region_scope scope(b, i, loop_roots(b.nodes.data(), binds, given.values));
    const unfolded_sweep loops(b, sweep, binds, given.values, scope);
    list<node_index> outputs, cotangents, by;
    for (std::size_t k = 0, result = 0; k < binds.size(); ++k) {
        if (!b[binds[k]].is(opcode::carry)) continue;
        const node_index x = region_result(b, loops.back, result++, b[binds[k]]);
        if (given.of_result[k] == no_node) continue;
        outputs.push_back(x);
        cotangents.push_back(given.of_result[k]);
    }
    for (std::size_t k = 0; k < given.values.size(); ++k) {
        outputs.push_back(history(b, loops.back, loops.values[k]));
        cotangents.push_back(given.of_values[k]);
    }
    const auto differentiate_by = [&](node_index x) {
        bool known = !active[x];
        for (std::size_t k = 0; k < by.size() && !known; ++k) known = by[k] == x;
        if (!known) by.push_back(x);
    };
    for (const node_index x : scope.captured) differentiate_by(x);
    for (const node_index x : scope.elements) differentiate_by(b[x].operand[0]);
    for (const node_index k : binds) differentiate_by(b[k].operand[1]);
    const list<node_index> parts = pullback<Rules>(b, outputs, cotangents, by);
    for (std::size_t k = 0; k < by.size(); ++k) given.add_to(b, adjoint[by[k]], parts[k]);
}

} // namespace dyad
