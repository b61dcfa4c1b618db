// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Reverse mode through loops, branches, rules and checkpoints. The adjoint of a branch is a branch between the pullbacks.
#pragma once

#include <dyad/pass/loop_reverse.hpp>
#include <dyad/pass/role.hpp>

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
        cotangents.push_back(stand_in(b, choices[k], cotangent));
        chain = bind_to(b, cotangents.back(), chain, as_type(b, cotangent, cotangents.back()));
        for (const int arm : {0, 1}) outputs[arm].push_back(c.operand[1 + arm]);
    }
    const list<node_index> then = pullback<Rules>(b, outputs[0], cotangents, by);
    const list<node_index> other = pullback<Rules>(b, outputs[1], cotangents, by);
    node_index results = no_links(b);
    for (std::size_t k = 0; k < by.size(); ++k)
        results = link(b, opcode::choice, results, as_type(b, then[k], by[k]), as_type(b, other[k], by[k]));
    const node_index back = b.add({.op = opcode::branch, .operand = {n.operand[0], chain, results}});
    for (std::size_t k = 0; k < by.size(); ++k) given.add_to(b, adjoint[of[k]], region_result(b, back, k, b[by[k]]));
}

/// Whether the numbers `roots` are not 0 where the numbers `by` are, as far as it shows: not through loops and branches.
constexpr bool is_affine(builder& b, const list<node_index>& roots, const list<node_index>& by) {
    list<node_index> zeros;
    for (const node_index x : by) {
        if (b[x].rank != 0) return false;
        zeros.push_back(b.constant(exact(0), b[x].type));
    }
    const std::size_t begin = b.size();
    for (const node_index x : substitute(b, roots, by, zeros)) {
        if (b[x].rank != 0) return false;
        const list<bool> made_of = reached(b.nodes.data(), b.size(), {x}, begin);
        bool shows = !is_zero(b, x);
        for (std::size_t i = begin; i < b.size(); ++i) shows = shows && !(made_of[i] && is_region(b[static_cast<node_index>(i)].op));
        if (shows) return true;
    }
    return false;
}

/// The transposed rule: for what travels along in it, what `given` hands down, which is like the rule's results. Nothing where
/// the rule is not linear in what travels along.
template <class Rules>
constexpr list<node_index> transposed_rule(builder& b, node_index i, const custom_parts& parts, const list<node_index>& given) {
    list<node_index> outputs, stand_ins, by, from = parts.parameters, to = parts.bound;
    for (std::size_t r = 0; r < parts.results; ++r) to[parts.arguments + r] = region_result(b, i, r, b[parts.parameters[parts.arguments + r]]);
    for (std::size_t k = parts.arguments + parts.results; k < parts.parameters.size(); ++k) by.push_back(parts.parameters[k]);
    for (const node_index root : parts.roots) {
        const node_index x = given[outputs.size()];
        outputs.push_back(root);
        stand_ins.push_back(b.parameter(b[root].type, shape_of(b[root])));
        from.push_back(stand_ins.back());
        to.push_back(x);
    }
    if (is_affine(b, outputs, by)) return {};
    const list<node_index> pulled = pullback<Rules>(b, outputs, stand_ins, by);
    list<bool> read(b.size());
    for (const node_index x : pulled) read[x] = true;
    for (node_index x = static_cast<node_index>(b.size()); x-- > 0;) {
        for (int k = 0; read[x] && k < operands_read(b[x]); ++k) read[b[x].operand[k]] = true;
    }
    for (const node_index x : by) {
        if (read[x]) return {};
    }
    return substitute(b, pulled, from, to);
}

/// Whether what goes into an operation element by element comes out so, where the bodies do so that it owns.
constexpr bool hands_on_elements(opcode op) {
    return !is_array_operation(op) || is_link(op) || is(op, opcode::loop) || is(op, opcode::repeat) || is(op, opcode::branch) || is(op, opcode::checkpoint) ||
           is(op, opcode::again);
}
/// Whether all that travels along in a rule goes into its k-th root number by number, or element by element.
constexpr bool keeps_elements(builder& b, const custom_parts& parts, std::size_t k) {
    const node_index root = parts.roots[k];
    const list<bool> wanted = reached(b.nodes.data(), end_of(list<node_index>{root}), {root});
    list<bool> moved(wanted.size());
    bool more = false;
    const auto moves = [&](node_index own) {
        if (own >= moved.size() || moved[own] || b[own].rank == 0) return;
        more = true;
        moved[own] = true;
    };
    for (std::size_t p = parts.arguments + parts.results; p < parts.parameters.size(); ++p) moves(parts.parameters[p]);
    while (more) { // what a body computes on is bound after it
        more = false;
        for (node_index i = 0; i < wanted.size(); ++i) {
            for (int j = 0; wanted[i] && j < operands_read(b[i]); ++j) {
                if (!moved[b[i].operand[j]]) continue;
                if (!hands_on_elements(b[i].op)) return false;
                moved[i] = true;
                if (j > 0 && (b[i].is(opcode::bind) || b[i].is(opcode::carry))) moves(b.add(parameter_of(b[i])));
            }
        }
    }
    return true;
}

/// The part of a rule that is not linear: what its k-th root gives for 1, times what comes, for `like`. That is right for numbers and
/// element by element; of a rule that joins elements, 1 everywhere would say nothing.
constexpr node_index weighed(builder& b, const custom_parts& parts, std::size_t k, node_index by_one, node_index x, node_index like) {
    if (b[by_one].rank != b[like].rank || b[x].rank != b[like].rank || !keeps_elements(b, parts, k))
        throw value_error("[dyad] custom_gradient, custom_jvp: in the other mode a rule must be linear, or go element by element");
    return b.emit(opcode::mul, by_one, x);
}

/// A custom rule, taken apart; an equation as its pullback by what is active (by other things it may have none).
template <class Rules>
constexpr custom_parts rule_parts(builder& b, node_index i, const list<bool>& active) {
    custom_parts parts(b, i);
    if (!is(parts.kind, rule_kind::equation)) return parts;
    list<node_index> equation, cotangents, by;
    for (std::size_t k = 0; k < parts.roots.size(); ++k) (k < parts.results ? equation : cotangents).push_back(parts.roots[k]);
    const auto moves = [&](std::size_t k) { return parts.parameters[k] < active.size() && active[parts.parameters[k]]; };
    for (std::size_t k = 0; k < parts.arguments; ++k) {
        if (moves(k)) by.push_back(parts.parameters[k]);
    }
    const list<node_index> pulled = pullback<Rules>(b, equation, cotangents, by);
    parts.roots = {};
    for (std::size_t k = 0, next = 0; k < parts.arguments; ++k)
        parts.roots.push_back(moves(k) ? as_type(b, pulled[next++], parts.parameters[k]) : zero_like(b, parts.parameters[k]));
    return parts;
}

/// A rule of one's own. Cotangents of arguments come from a rule for cotangents, or from a transposed rule for tangents.
template <class Rules>
constexpr void pull_custom(builder& b, node_index i, const list<node_index>& by, const list<bool>& active, list<contribution>& adjoint) {
    const region_cotangents given(b, i, links(b.nodes.data(), b[i].operand[0]).size(), adjoint);
    if (!given.any) return;
    const custom_parts parts = rule_parts<Rules>(b, i, active);
    list<node_index> along, parts_of_arguments;
    for (std::size_t r = 0; r < parts.results; ++r) {
        const node_index like = parts.bound[parts.arguments + r];
        along.push_back(b.broadcast_to(given.number(b, r, like), like));
    }
    if (parts.by_cotangents()) {
        parts_of_arguments = parts.rule(b, i, along);
    } else {
        parts_of_arguments = transposed_rule<Rules>(b, i, parts, along);
    }
    for (std::size_t k = 0; k < parts.arguments; ++k) {
        if (!active[parts.bound[k]]) continue;
        if (parts.is_silent(k)) {
            parts.refuse_captured(has_slope(b, parts.bound[k], by, active));
            continue;
        }
        if (!parts_of_arguments.empty()) {
            given.add_to(b, adjoint[parts.bound[k]], parts_of_arguments[k]);
            continue;
        }
        const list<node_index> column = parts.rule(b, i, parts.unit(b, k, parts.arguments));
        for (std::size_t r = 0; r < parts.results; ++r) {
            if (given.of_result[r] != no_node) given.add_to(b, adjoint[parts.bound[k]], weighed(b, parts, r, column[r], given.of_result[r], parts.bound[k]));
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
        outputs.push_back(b[body[k]].operand[1]);
        cotangents.push_back(stand_in(b, outputs.back(), given.of_result[k])); // (the cotangent itself may contain the checkpoint)
        from.push_back(cotangents.back());
        to.push_back(given.of_result[k]);
    }
    const list<node_index> parts = substitute(b, pullback<Rules>(b, outputs, cotangents, by), from, to);
    for (std::size_t k = 0; k < by.size(); ++k) given.add_to(b, adjoint[of[k]], parts[k]);
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
            if (active[value]) given.add_to(b, adjoint[value], pulled[parts.size + k]);
        }
        y = x;
    }
    for (std::size_t k = 0; k < parts.size; ++k) {
        const node_index value = parts.argument_values[k];
        if (active[value]) given.add_to(b, adjoint[value], cotangents[k]);
    }
}

template <class Rules>
constexpr void pull_region(builder& b, node_index i, const list<node_index>& by, const list<bool>& active, list<contribution>& adjoint) {
    switch (b[i].op) {
    case opcode::loop:
    case opcode::repeat: loop_pullback<Rules>(b, i, active, adjoint); break;
    case opcode::sweep: pull_sweep<Rules>(b, i, active, adjoint); break;
    case opcode::branch: pull_branch<Rules>(b, i, active, adjoint); break;
    case opcode::custom: pull_custom<Rules>(b, i, by, active, adjoint); break;
    case opcode::invertible: pull_invertible<Rules>(b, i, active, adjoint); break;
    case opcode::checkpoint: pull_checkpoint<Rules>(b, i, active, adjoint); break;
    case opcode::again:
        if (!adjoint[i].nothing()) adjoint[b[i].operand[0]] = contributions(b).plus(adjoint[b[i].operand[0]], adjoint[i]);
        break;
    default: break; // parts of the others
    }
}

} // namespace dyad
