// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Forward mode through loops, branches and rules: tangents go round with the values, in the same loop; and the table that
// builders with regions carry.
#pragma once

#include <dyad/pass/forward.hpp>
#include <dyad/pass/region_reverse.hpp>

namespace dyad {

/// A loop's tangents: the same loop, with a carry more for each that moves.
template <class Rules>
constexpr void push_loop(builder& b, node_index i, const list<bool>& active, list<contribution>& tangent) {
    const node n = b[i];
    contributions sum(b);
    const list<node_index> carries = bindings(b.nodes.data(), i);
    list<node_index> results(carries.size(), no_node), values, histories;
    for (node_index k = i + 1; k < tangent.size(); ++k) {
        const node& r = b.nodes.at[k];
        if (r.operand[0] != i) continue;
        if (r.is(opcode::result) && r.bits < carries.size()) results[r.bits] = k;
        if (r.is(opcode::history) && active[r.operand[1]]) {
            histories.push_back(k);
            values.push_back(r.operand[1]);
        }
    }
    const node_index index = b.add(index_parameter_of(n));
    list<node_index> by, tangents, outputs, firsts;
    list<std::size_t> moving; // numbers of carries
    for (std::size_t k = 0; k < carries.size(); ++k) {
        const node c = b[carries[k]];
        const node_index own = b.add(parameter_of(c));
        if (own >= active.size() || !active[own]) continue;
        moving.push_back(k);
        by.push_back(own);
        tangents.push_back(b.parameter(c.type, shape_of(c)));
        outputs.push_back(c.operand[2]);
        const contribution first = tangent[c.operand[1]];
        node_index start = first.nothing() ? zero_like(b, c.operand[1]) : sum.number(first);
        refuse_directions(b[start].rank > c.rank);
        if (b[start].rank < c.rank) start = b.broadcast_to(start, c.operand[1]);
        firsts.push_back(start);
    }
    for (const node_index v : values) outputs.push_back(v);
    const region_scope scope(b, i, loop_roots(b.nodes.data(), carries, values));
    for (const node_index x : scope.captured) {
        if (x >= tangent.size() || tangent[x].nothing()) continue;
        by.push_back(x);
        tangents.push_back(sum.number(tangent[x]));
    }
    for (const node_index x : scope.elements) {
        const node_index from = b[x].operand[0];
        if (from >= tangent.size() || tangent[from].nothing()) continue;
        by.push_back(x);
        const node_index along = sum.number(tangent[from]); // (a number is for all; what has fewer axes stretches)
        tangents.push_back(at(b, b[along].rank == 0 ? along : b.broadcast_to(along, from), index));
    }
    const list<node_index> nexts = pushforward<Rules>(b, outputs, by, tangents);
    node_index chain = n.operand[1];
    for (std::size_t k = 0; k < moving.size(); ++k) {
        node c = b[carries[moving[k]]];
        c.operand[0] = chain;
        c.operand[1] = as_type(b, firsts[k], by[k]);
        c.operand[2] = as_type(b, nexts[k], by[k]);
        c.bits = b[tangents[k]].bits;
        chain = b.add(c);
    }
    node moved = n;
    moved.operand[1] = chain;
    const node_index both = b.add(moved);
    for (std::size_t k = 0; k < moving.size(); ++k) {
        const node_index result = results[moving[k]];
        if (result != no_node) tangent[result].value = region_result(b, both, carries.size() + k, b[result]);
    }
    for (std::size_t k = 0; k < histories.size(); ++k)
        tangent[histories[k]].value = history(b, both, as_type(b, nexts[moving.size() + k], values[k]));
}

/// A branch, a checkpoint: the tangents of the arms, in a branch on the same condition, or in the open.
template <class Rules>
constexpr void push_arms(builder& b, node_index i, const list<bool>& active, list<contribution>& tangent) {
    const node n = b[i];
    contributions sum(b);
    const bool branch = n.is(opcode::branch);
    list<node_index> by, along, from, to, outputs[2];
    node_index chain = n.operand[1];
    for (const node_index bind : bindings(b.nodes.data(), i)) {
        const node_index own = b.add(parameter_of(b[bind])), value = b[bind].operand[1];
        from.push_back(own);
        to.push_back(value);
        if (own >= active.size() || !active[own] || tangent[value].nothing()) continue;
        by.push_back(own);
        const node_index moving = sum.number(tangent[value]);
        refuse_directions(branch && b[moving].rank > b[own].rank);
        along.push_back(stand_in(b, own, moving)); // (a number as the tangent of an array stays one)
        if (branch) chain = bind_to(b, along.back(), chain, as_type(b, moving, own));
        from.push_back(along.back());
        to.push_back(moving);
    }
    const list<node_index> bodies = links(b.nodes.data(), n.operand[2]);
    for (const node_index x : bodies) {
        for (int arm = 0; arm <= (branch ? 1 : 0); ++arm) outputs[arm].push_back(b[x].operand[1 + arm]);
    }
    list<node_index> results = pushforward<Rules>(b, outputs[0], by, along);
    if (branch) {
        const list<node_index> other = pushforward<Rules>(b, outputs[1], by, along);
        node_index choices = no_links(b);
        for (std::size_t k = 0; k < bodies.size(); ++k)
            choices = link(b, opcode::choice, choices, as_type(b, results[k], bodies[k]), as_type(b, other[k], bodies[k]));
        const node_index moved = b.add({.op = opcode::branch, .operand = {n.operand[0], chain, choices}});
        for (std::size_t k = 0; k < bodies.size(); ++k) results[k] = region_result(b, moved, k, b[bodies[k]]);
    } else {
        results = substitute(b, results, from, to);
    }
    for (node_index k = i + 1; k < tangent.size(); ++k) {
        if (b[k].is(opcode::result) && b[k].operand[0] == i) tangent[k].value = results[b[k].bits];
    }
}

/// What a rule says: of a pushforward the tangents, of a pullback the sums of its cotangents times the tangents.
template <class Rules>
constexpr void push_custom(builder& b, node_index i, const list<node_index>& by, const list<bool>& active, list<contribution>& tangent) {
    const custom_parts parts = rule_parts<Rules>(b, i, active);
    contributions sum(b);
    list<node_index> along;
    for (std::size_t k = 0; k < parts.arguments; ++k) {
        const contribution t = tangent[parts.bound[k]];
        along.push_back(t.nothing() ? zero_like(b, parts.bound[k]) : b.broadcast_to(sum.number(t), parts.bound[k]));
        if (parts.is_silent(k) && !t.nothing()) parts.refuse_captured(has_slope(b, parts.bound[k], by, active));
    }
    list<node_index> pushed;
    if (!parts.by_cotangents()) pushed = parts.rule(b, i, along);
    if (parts.by_cotangents()) pushed = transposed_rule<Rules>(b, i, parts, along);
    for (node_index r = i + 1; r < tangent.size(); ++r) {
        const node n = b[r];
        if (!n.is(opcode::result) || n.operand[0] != i) continue;
        if (!pushed.empty()) {
            tangent[r].value = pushed[n.bits];
            continue;
        }
        const list<node_index> row = parts.rule(b, i, parts.unit(b, n.bits, parts.results));
        for (std::size_t k = 0; k < parts.roots.size(); ++k) {
            if (!is_zero(b, along[k])) add_to(b, tangent[r], weighed(b, parts, k, row[k], along[k], r));
        }
    }
}

template <class Rules>
constexpr void push_region(builder& b, node_index i, const list<node_index>& by, const list<bool>& active, list<contribution>& tangent) {
    switch (b[i].op) {
    case opcode::loop:
    case opcode::repeat:
    case opcode::sweep: push_loop<Rules>(b, i, active, tangent); break;
    case opcode::branch:
    case opcode::checkpoint: push_arms<Rules>(b, i, active, tangent); break;
    case opcode::custom: push_custom<Rules>(b, i, by, active, tangent); break;
    case opcode::invertible:
        for (node_index k = i + 1; k < tangent.size(); ++k) {
            if (b[k].is(opcode::result) && b[k].operand[0] == i) tangent[k] = tangent[b[links(b.nodes.data(), b[i].operand[0])[b[k].bits]].operand[1]];
        }
        break;
    case opcode::again: tangent[i] = tangent[b[i].operand[0]]; break;
    default: break; // parts of the others
    }
}

/// Marks the parameters of a region as active whose first or next value is; returns the first that was not, or the region. (A
/// parameter that no body reads has been left out of the graph; what goes round may be active all the same.)
constexpr node_index spread_to_body(builder& b, node_index region, list<bool>& active) {
    const std::size_t size = b.size();
    node_index first = region;
    for (node_index i = b.nodes.at[region].operand[1]; !b.nodes.at[i].is(opcode::nothing); i = b.nodes.at[i].operand[0]) {
        const node n = b.nodes.at[i];
        if (n.is(element::boolean) || !(active.at[n.operand[1]] || (!n.is(opcode::bind) && active.at[n.operand[2]]))) continue;
        const node_index own = b.add(parameter_of(n));
        while (active.count < b.size()) active.push_back(false);
        if (active.at[own] || (own >= size && n.is(opcode::bind))) continue;
        active.at[own] = true;
        if (own < first) first = own;
    }
    return first;
}
/// Marks what depends on active nodes, in the order of the program; from a region whose parameters become active by it, it goes
/// on at the first of those, once more.
constexpr void spread_activity(builder& b, const list<bool>& wanted, list<bool>& active) {
    for (node_index i = 0; i < wanted.count; ++i) {
        if (!wanted.at[i]) continue;
        const node& n = b.nodes.at[i];
        const std::size_t op = static_cast<std::size_t>(n.op);
        if (operation_table[op].flat) continue;
        for (int k = arities.of[op]; k-- > 0;) active.at[i] = active.at[i] || active.at[n.operand[k]];
        if (!active.at[i]) continue;
        if (is_region(n.op)) {
            i = spread_to_body(b, i, active);
        } else if (n.is(opcode::history)) {
            active.at[n.operand[0]] = true; // a loop may carry nothing
        }
    }
}

/// The table, with the operations' rules of `Rules`. (All are templates of them: a program without regions instantiates none.)
template <class Rules>
inline constexpr region_rules region_rules_with{&spread_activity, &pull_region<Rules>, &push_region<Rules>};

} // namespace dyad
