// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Records loops, branches and rules: runs each body once, on parameters, and makes one node of it (graph/region.hpp).
#pragma once

#include <dyad/base/error.hpp>
#include <dyad/base/text.hpp>
#include <dyad/trace/nested.hpp>

namespace dyad {

/// The nodes of all leaves, turned arrays as what is computed where they lie, numbers without a type of their own in that of the
/// leaves they stand among.
template <class... S>
constexpr list<node_index> state_nodes(builder& b, const S&... s) {
    list<node_index> nodes;
    for_each_leaf([&](const auto& leaf) { nodes.push_back(tracer(leaf).in(b)); }, s...);
    element type = element::float64;
    for (const node_index i : nodes) {
        if (b[i].type > element::integer) type = b[i].type;
    }
    for (node_index& i : nodes) {
        if (b[i].is(opcode::constant) && b[i].type < element::float32 && !b[i].is(element::boolean))
            i = b.constant(constant_value(b[i]), type);
    }
    return b.inwards(static_cast<list<node_index>&&>(nodes));
}

/// A condition or a number of rounds, which is no array.
constexpr node_index one_number(builder& b, node_index x) {
    if (b[x].rank == 0) return x;
    if (b.fault == nullptr) throw shape_error("[dyad] control flow: a condition, or a number of rounds, is an array");
    if (*b.fault == 0) *b.fault = builder::number_fault;
    return b.constant(exact(0));
}

/// Arrays that a loop goes through along their first axes: all have axes, and all a single element there, or none (as far as it
/// is known when they are traced).
constexpr void check_rows(builder& b, const list<node_index>& arrays) {
    const auto single = [](const node& n) { return n.rank != 0 && (n.ones >> (n.rank - 1U) & 1) != 0; };
    bool good = true;
    for (const node_index x : arrays) good = good && b[x].rank != 0 && single(b[x]) == single(b[arrays[0]]);
    if (good) return;
    if (b.fault == nullptr) throw shape_error("[dyad] scan, map, vmap: a number where arrays belong, or first axes that differ");
    if (*b.fault == 0) *b.fault = builder::rows_fault;
}

/// Gives out nodes one by one, as the leaves of a structure.
struct node_reader {
    builder& home;
    const list<node_index>& nodes;
    std::size_t next = 0;

    template <class Leaf>
    constexpr tracer operator()() {
        return {home, nodes[next++]};
    }
};
template <class S>
constexpr auto structured(builder& b, const list<node_index>& nodes) {
    node_reader read{b, nodes};
    return structure<S>::build(read);
}

/// Results 0, 1 ... of a region, like the given nodes.
constexpr list<node_index> region_results(builder& b, node_index region, const list<node_index>& like) {
    list<node_index> results;
    for (std::size_t k = 0; k < like.size(); ++k) results.push_back(region_result(b, region, k, b[like[k]]));
    return results;
}

[[noreturn]] inline void throw_ranks(const char* where, const char* what) {
    text t("[dyad] ");
    (t += where) += what;
    throw value_error(t.c_str());
}
/// Of values that have different ranks where one takes the other's place.
constexpr void refuse_ranks(builder& b, const char* where, const char* what) {
    if (b.is_faulty()) return;
    if (b.fault == nullptr) throw_ranks(where, what);
    *b.fault = builder::round_fault;
}

/// Records a loop over `first`; body(parameters) gives the next values. They may have a wider type than the first ones, and
/// conditions become numbers where numbers go round;
/// `make(chain)` is the node of the loop.
template <class Rules = every_rule, class Body, class Make>
constexpr list<node_index> record_carries(builder& b, const char* name, list<node_index> first, Body body, Make make) {
    b.regions = region_rules_with<Rules>;
    list<element> types;
    for (const node_index i : first) types.push_back(b[i].is(element::integer) ? element::float64 : b[i].type);
    for (;;) {
        list<node_index> parameters;
        for (std::size_t k = 0; k < first.size(); ++k) parameters.push_back(b.parameter(types[k], shape_of(b[first[k]])));
        list<node_index> next = body(parameters);
        bool wider = false;
        for (std::size_t k = 0; k < first.size(); ++k) {
            if (!is(types[k], element::boolean)) next[k] = b.as_weak_number(next[k]);
            const node& x = b[next[k]];
            if (b[first[k]].rank != x.rank) refuse_ranks(b, name, ": the body changes the rank of a value that goes round");
            wider = wider || x.type > types[k];
            if (is(types[k], element::boolean) && !x.is(element::boolean)) first[k] = b.as_weak_number(first[k]);
            types[k] = promote(types[k], x.type);
        }
        if (wider) continue;
        node_index chain = no_links(b);
        for (std::size_t k = 0; k < first.size(); ++k) {
            const node p = b[parameters[k]];
            chain = b.add({.op = opcode::carry, .type = p.type, .rank = p.rank, .ones = p.ones,
                           .operand = {chain, as_type(b, first[k], parameters[k]), as_type(b, next[k], parameters[k])},
                           .bits = p.bits});
        }
        return region_results(b, make(chain), parameters);
    }
}

/// What bodies under `roots` take from before node `begin`; and elements at the index of a loop around, which only that loop can read.
constexpr list<node_index> frontier(const builder& b, node_index begin, const list<node_index>& roots) {
    list<bool> wanted(b.size());
    list<node_index> result;
    for (const node_index r : roots) wanted[r] = true;
    for (node_index i = static_cast<node_index>(b.size()); i-- > 0;) {
        if (!wanted[i] || b.is_constant(i)) continue;
        const bool element = b[i].is(opcode::at) && b[i].operand[1] < begin;
        if ((i < begin && !is_link(b[i].op)) || element || b[i].is(opcode::input)) {
            result.push_back(i);
            continue;
        }
        for (int k = 0; k < b[i].arity(); ++k) wanted[b[i].operand[k]] = true;
    }
    return result;
}

/// Bodies as functions of parameters for all that they take from before `begin`: `roots` changes to them, the chain binds.
constexpr node_index close_over(builder& b, node_index begin, list<node_index>& roots) {
    const list<node_index> outside = frontier(b, begin, roots);
    list<node_index> parameters;
    node_index chain = no_links(b);
    for (const node_index x : outside) {
        parameters.push_back(b.parameter(b[x].type, shape_of(b[x])));
        chain = bind_to(b, parameters.back(), chain, x);
    }
    roots = substitute(b, roots, outside, parameters);
    return chain;
}

/// A branch between results that were recorded from node `begin` on.
template <class Rules = every_rule>
constexpr list<node_index> record_branch(builder& b, node_index begin, node_index predicate, list<node_index> then,
                                         const list<node_index>& other) {
    b.regions = region_rules_with<Rules>;
    const std::size_t count = then.size();
    for (const node_index i : other) then.push_back(i);
    for (std::size_t k = 0; k < count; ++k) { // a condition beside a number is one
        node_index &x = then[k], &y = then[count + k];
        if (!b[y].is(element::boolean)) x = b.as_weak_number(x);
        if (!b[x].is(element::boolean)) y = b.as_weak_number(y);
    }
    const node_index binds = close_over(b, begin, then);
    node_index choices = no_links(b);
    list<node_index> like;
    for (std::size_t k = 0; k < count; ++k) {
        const node_index x = then[k], y = then[count + k];
        if (b[x].rank != b[y].rank) refuse_ranks(b, "cond", ": the two functions give results of different ranks");
        const node_index wider = b[x].type < b[y].type ? y : x;
        const element type = b[wider].type <= element::integer && !b[wider].is(element::boolean) ? element::float64 : b[wider].type;
        const node_index like_it = b.parameter(type, shape_of(b[wider]));
        choices = link(b, opcode::choice, choices, as_type(b, x, like_it), as_type(b, y, like_it));
        like.push_back(like_it);
    }
    return region_results(b, b.add({.op = opcode::branch, .operand = {predicate, binds, choices}}), like);
}

/// A checkpoint around results that were recorded from node `begin` on.
template <class Rules = every_rule>
constexpr list<node_index> record_checkpoint(builder& b, node_index begin, const list<node_index>& values) {
    b.regions = region_rules_with<Rules>;
    list<node_index> body = values;
    const node_index binds = close_over(b, begin, body);
    const node_index kept = entries(b, values);
    return region_results(b, b.add({.op = opcode::checkpoint, .operand = {kept, binds, entries(b, body)}}), values);
}

/// Steps of a state that can be computed backwards, recorded from node `begin` on. `steps(arguments, results)` runs them on
/// parameters: of each step its results, by its arguments, then its arguments, by its results.
template <class Rules = every_rule, class Steps>
constexpr list<node_index> record_invertible(builder& b, node_index begin, const list<node_index>& state, const list<node_index>& values,
                                             Steps steps) {
    b.regions = region_rules_with<Rules>;
    list<node_index> arguments, results;
    for (const node_index i : values) {
        const node v = b[i];
        arguments.push_back(b.parameter(v.type, shape_of(v)));
        results.push_back(b.parameter(v.type, shape_of(v)));
    }
    list<node_index> body = steps(arguments, results);
    const node_index kept = entries(b, values);
    node_index binds = close_over(b, begin, body);
    for (std::size_t k = 0; k < state.size(); ++k) binds = bind_to(b, arguments[k], binds, as_type(b, state[k], arguments[k]));
    for (std::size_t k = 0; k < state.size(); ++k) binds = bind_to(b, results[k], binds, values[k]);
    return region_results(b, b.add({.op = opcode::invertible, .operand = {kept, binds, entries(b, body)}}), values);
}

/// Equations and their solvers compute with numbers.
constexpr void refuse_array_leaf(const tracer& x) {
    builder* const b = x.home();
    if (b == nullptr || (*b)[x.in(*b)].rank == 0) return;
    if (b->fault == nullptr) throw shape_error("[dyad] implicit_root, fixed_point, odeint: an array stands where numbers belong");
    if (*b->fault == 0) *b->fault = builder::leaf_fault;
}

/// What a rule gives for a value like `like`: of its rank. A constant stretches: 0 says that there is no slope.
constexpr node_index as_given(builder& b, node_index x, node_index like) {
    x = as_type(b, x, like);
    if (b[x].rank == b[like].rank || b.is_faulty()) return x;
    if (b.is_constant(x)) return b.broadcast_to(x, like);
    if (b.fault == nullptr) throw shape_error("[dyad] custom_gradient, custom_jvp: the rule changes the rank of a cotangent or a tangent");
    *b.fault = builder::rule_fault;
    return x;
}

/// The values of real types that stood in the graph before node `begin` and that `roots` are computed from, where they have a slope by them.
constexpr list<node_index> captured_by(const builder& b, const list<node_index>& roots, std::size_t begin) {
    list<bool> wanted(b.size());
    for (const node_index i : roots) wanted[i] = true;
    list<node_index> captured;
    for (node_index i = static_cast<node_index>(b.size()); i-- > 0;) {
        const node& n = b[i];
        const bool owns = is_link(n.op) || is_region(n.op);
        if (!wanted[i] || b.is_constant(i)) continue;
        if (i < begin && !owns && !n.is(element::boolean) && !n.is(element::integer)) captured.push_back(i);
        for (int k = 0; (i >= begin || owns) && k < n.arity(); ++k) wanted[n.operand[k]] = wanted[n.operand[k]] || owns || differentiable_by(n.op, k);
    }
    return captured;
}

/// The entries of a rule; and what a pullback captured and says nothing of.
struct rule_roots {
    list<node_index> entries;
    list<node_index> captured;
};
/// A rule beside the values that it is for. `rule(parameters)` runs it on parameters for the arguments, the results and what travels
/// along, which is like `along`. An equation is closed over what it captures.
template <class Rules = every_rule, class Rule>
constexpr list<node_index> record_custom(builder& b, rule_kind kind, const list<node_index>& arguments, list<node_index> values, Rule rule) {
    for (node_index& i : values) i = b.as_number(i); // a condition has a slope here, the rule's
    if (b.values_only) return values;
    b.regions = region_rules_with<Rules>;
    const auto begin = static_cast<node_index>(b.size());
    const list<node_index>& along = is(kind, rule_kind::pushforward) ? arguments : values;
    list<node_index> parameters;
    const auto stand_in_for = [&](node_index x) { return b.parameter(b[x].type, shape_of(b[x])); };
    const auto stand_in_for_all = [&](const list<node_index>& bound) {
        for (const node_index i : bound) parameters.push_back(stand_in_for(i));
    };
    stand_in_for_all(arguments);
    stand_in_for_all(values);
    stand_in_for_all(along);
    rule_roots roots = rule(parameters);
    node_index binds = no_links(b);
    if (is(kind, rule_kind::equation)) {
        binds = close_over(b, begin, roots.entries);
    } else {
        const std::size_t like = is(kind, rule_kind::pushforward) ? arguments.size() : 0;
        for (std::size_t k = 0; k < roots.entries.size(); ++k) roots.entries[k] = as_given(b, roots.entries[k], parameters[like + k]);
    }
    std::size_t next = 0;
    const auto bind_all = [&](const list<node_index>& bound) {
        for (const node_index i : bound) binds = bind_to(b, parameters[next++], binds, i);
    };
    bind_all(arguments);
    for (const node_index i : roots.captured) binds = bind_to(b, stand_in_for(i), binds, i);
    bind_all(values);
    bind_all(along);
    const node_index kept = entries(b, values);
    return region_results(b, b.add({.op = opcode::custom, .operand = {kept, binds, entries(b, roots.entries)}, .bits = static_cast<std::uint64_t>(kind)}), values);
}

} // namespace dyad
