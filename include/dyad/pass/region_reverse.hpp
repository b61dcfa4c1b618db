// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Reverse mode through loops, branches, rules and checkpoints. The adjoint of a branch is a branch between the pullbacks.
#pragma once

#include <dyad/pass/loop_reverse.hpp>

namespace dyad {

/// A branch's adjoint: a branch on the same condition; the cotangents of the results are bound like arguments.
template <class Rules>
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
    const list<node_index> then = pullback<Rules>(b, outputs[0], cotangents, by);
    const list<node_index> other = pullback<Rules>(b, outputs[1], cotangents, by);
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
template <class Rules>
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
    const list<node_index> parts = substitute(b, pullback<Rules>(b, outputs, cotangents, by), from, to);
    for (std::size_t k = 0; k < by.size(); ++k) add_to(b, adjoint[of[k]], parts[k]);
}

/// Algorithm 1 of A. Gomez, M. Ren, R. Urtasun, R. Grosse, "The reversible residual network", NeurIPS 2017: each step's
/// arguments are computed from its results, and its pullback on those.
template <class Rules>
constexpr void pull_invertible(builder& b, node_index i, const list<bool>& active, list<contribution>& adjoint) {
    const invertible_parts parts(b, i);
    const region_cotangents given(b, i, parts.size, adjoint);
    if (!given.any) return;
    list<node_index> y, cotangents, along, by = parts.arguments;
    for (std::size_t k = 0; k < parts.size; ++k) {
        y.push_back(region_result(b, i, k, b[parts.results[k]]));
        cotangents.push_back(b.broadcast_to(given.number(b, k, parts.results[k]), y[k]));
        along.push_back(b.parameter(b[parts.results[k]].type, shape_of(b[parts.results[k]])));
    }
    for (const node_index c : parts.captured) by.push_back(c);
    for (std::size_t step = parts.steps; step-- > 0;) {
        const list<node_index> x = parts.back(b, step, y);
        list<node_index> from = by, to = x;
        for (const node_index c : parts.captured_values) to.push_back(c);
        for (std::size_t k = 0; k < parts.size; ++k) {
            from.push_back(along[k]);
            to.push_back(cotangents[k]);
        }
        const list<node_index> pulled = substitute(b, pullback<Rules>(b, parts.forward(step), along, by), from, to);
        for (std::size_t k = 0; k < parts.size; ++k) cotangents[k] = pulled[k];
        for (std::size_t k = 0; k < parts.captured.size(); ++k) {
            const node_index value = parts.captured_values[k];
            if (active[value]) add_to(b, adjoint[value], pulled[parts.size + k]);
        }
        y = x;
    }
    for (std::size_t k = 0; k < parts.size; ++k) {
        const node_index value = parts.argument_values[k];
        if (active[value]) add_to(b, adjoint[value], cotangents[k]);
    }
}

template <class Rules>
constexpr void pull_region(builder& b, node_index i, const list<bool>& active, list<contribution>& adjoint) {
    switch (b[i].op) {
    case opcode::loop:
    case opcode::repeat: loop_pullback<Rules>(b, i, active, adjoint); break;
    case opcode::sweep: pull_sweep<Rules>(b, i, active, adjoint); break;
    case opcode::branch: pull_branch<Rules>(b, i, active, adjoint); break;
    case opcode::custom: pull_custom(b, i, active, adjoint); break;
    case opcode::invertible: pull_invertible<Rules>(b, i, active, adjoint); break;
    case opcode::checkpoint: pull_checkpoint<Rules>(b, i, active, adjoint); break;
    case opcode::again:
        if (!adjoint[i].nothing()) adjoint[b[i].operand[0]] = contributions(b).plus(adjoint[b[i].operand[0]], adjoint[i]);
        break;
    default: break; // parts of the others
    }
}

} // namespace dyad
