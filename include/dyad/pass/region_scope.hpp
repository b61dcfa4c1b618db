// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What the body of a loop takes from outside, and what differentiating loops, branches and rules share.
#pragma once

#include <dyad/graph/free_parameters.hpp>
#include <dyad/pass/substitute.hpp>

namespace dyad {

/// 0, in the type and with the shape of a node.
constexpr node_index zero_like(builder& b, node_index like) {
    return b.broadcast_to(b.constant(exact(0), b[like].type), like);
}
/// A constant in the type of a node; other nodes have one already.
constexpr node_index as_type(builder& b, node_index x, node_index like) {
    return b.is_constant(x) && b[x].type != b[like].type ? b.constant(constant_value(b[x]), b[like].type) : x;
}

/// Sweeps for all elements of an array have directions along axes of their own, which a loop cannot carry.
constexpr void refuse_directions(bool several) {
    if (several) throw shape_error("[dyad] jacobian: a loop is differentiated in one direction at a time; use jvp, vjp or hvp");
}

/// What a loop computes each round: the next values of its carries, and the values of its histories.
constexpr list<node_index> loop_roots(const node* nodes, const list<node_index>& carries, const list<node_index>& values) {
    list<node_index> roots = values;
    for (const node_index c : carries) roots.push_back(nodes[c].operand[2]);
    return roots;
}

/// What the body under `roots` takes from outside of its loop.
struct region_scope {
    list<node_index> captured; ///< values, but constants
    list<node_index> elements; ///< `at` nodes at the loop's own index

    constexpr region_scope(const builder& b, node_index loop, const list<node_index>& roots) {
        const list<bool> wanted = reached(b.nodes.data(), end_of(roots), roots);
        const free_parameters free(b.nodes.data(), wanted);
        const list<std::uint64_t> inner = free.bound_within(loop);
        list<bool> inside(wanted.size()), known(wanted.size());
        for (const node_index r : roots) capture(b, r, free.meets(r, inner), inside, known);
        const std::uint64_t index = index_number(b[loop]);
        for (node_index i = static_cast<node_index>(wanted.size()); i-- > 0;) {
            if (!inside[i]) continue;
            const node& n = b[i];
            const bool own = n.is(opcode::at) && b[n.operand[1]].is(opcode::parameter) && b[n.operand[1]].bits == index;
            if (own && !free.meets(n.operand[0], inner)) {
                elements.push_back(i);
                continue;
            }
            for (int k = 0; k < n.arity(); ++k) {
                // What a region inside lists or binds is inside, though it be the same in every round (see levels::mark_body).
                const opcode op = b[n.operand[k]].op;
                const bool is_inside = free.meets(n.operand[k], inner) || is_region(op) || is_link(op);
                capture(b, n.operand[k], is_inside, inside, known);
            }
        }
    }
    /// What the loop takes from outside, element arrays too.
    [[nodiscard]] constexpr list<node_index> outside(const builder& b) const {
        list<node_index> all = captured;
        for (const node_index x : elements) all.push_back(b[x].operand[0]);
        return all;
    }

private:
    constexpr void capture(const builder& b, node_index x, bool is_inside, list<bool>& inside, list<bool>& known) {
        if (is_inside) inside[x] = true;
        if (is_inside || known[x] || b.is_constant(x) || b[x].is(opcode::nothing)) return;
        known[x] = true;
        captured.push_back(x);
    }
};

/// Whether a pullback that the results depend on captures what is made of one of the inputs to differentiate by, straight on: what
/// comes out of loops and branches, and a loop's own values, differentiation refuses.
constexpr bool captures_input(graph_view g, const list<std::uint32_t>& by) {
    if (!has_rules(g)) return false;
    list<bool> live(g.size), captured(g.size);
    for (std::size_t k = 0; k < g.output_count; ++k) live[g.outputs[k]] = true;
    for (node_index i = static_cast<node_index>(g.size); i-- > 0;) {
        const node& n = g.nodes[i];
        const bool owns = is_link(n.op) || is_region(n.op);
        for (const std::uint32_t input : by) {
            if (captured[i] && n.is(opcode::input) && n.bits == input) return true;
        }
        for (int k = 0; k < n.arity(); ++k) {
            const node_index x = n.operand[k];
            live[x] = live[x] || (live[i] && (owns || n.is(opcode::result) || n.is(opcode::history) || differentiable_by(n.op, k)));
            captured[x] = captured[x] || (captured[i] && !is_region_operation(n.op) && differentiable_by(n.op, k));
        }
        if (!live[i] || !n.is(opcode::custom) || !is(kind_of_rule(n), rule_kind::pullback)) continue;
        const list<node_index> binds = bindings(g.nodes, i);
        const std::size_t arguments = binds.size() - 2 * links(g.nodes, n.operand[0]).size();
        for (std::size_t k = links(g.nodes, n.operand[2]).size(); k < arguments; ++k) captured[g.nodes[binds[k]].operand[1]] = true;
    }
    return false;
}

/// Whether x itself has a slope by the nodes `by`, where what is active is known: of a loop, a branch or a checkpoint some results may
/// have none.
constexpr bool has_slope(const builder& b, node_index x, const list<node_index>& by, const list<bool>& active) {
    list<bool> has(b.size());
    for (const node_index i : by) has[i] = true;
    for (node_index i = 0; i <= x; ++i) {
        if (i >= active.size() || !active[i] || has[i]) continue;
        const node& n = b[i];
        if (n.is(opcode::result) && n.bits != rounds_result && !b[n.operand[0]].is(opcode::custom) && !b[n.operand[0]].is(opcode::invertible)) {
            const node& region = b[n.operand[0]];
            const node& value = b[links(b.nodes.data(), region.operand[is_loop(region.op) ? 1 : region.is(opcode::branch) ? 2 : 0])[n.bits]];
            has[i] = has[value.operand[1]] || (value.arity() > 2 && has[value.operand[2]]);
        } else if (n.arity() == 0 || is_region(n.op) || is_link(n.op)) {
            has[i] = true;
        } else if (!n.is(opcode::result) || n.bits != rounds_result) {
            for (int k = 0; k < n.arity(); ++k) has[i] = has[i] || (has[n.operand[k]] && (is_region_operation(n.op) || differentiable_by(n.op, k)));
        }
    }
    return has[x];
}

/// A custom rule, taken apart.
struct custom_parts {
    std::size_t arguments = 0;   ///< and what is captured
    std::size_t results = 0;
    list<node_index> parameters; ///< for the arguments, the results, and what travels along
    list<node_index> bound;      ///< the arguments and the plain values of the results
    list<node_index> roots;      ///< what the rule gives, by the parameters
    rule_kind kind;

    constexpr custom_parts(builder& b, node_index i) : kind(kind_of_rule(b[i])) {
        const list<node_index> binds = bindings(b.nodes.data(), i);
        results = links(b.nodes.data(), b[i].operand[0]).size();
        arguments = by_cotangents() ? binds.size() - 2 * results : (binds.size() - results) / 2;
        for (const node_index bind : binds) {
            parameters.push_back(b.add(parameter_of(b[bind])));
            bound.push_back(b[bind].operand[1]);
        }
        for (const node_index e : links(b.nodes.data(), b[i].operand[2])) roots.push_back(b[e].operand[1]);
    }
    [[nodiscard]] constexpr bool by_cotangents() const { return !is(kind, rule_kind::pushforward); }
    /// What the rule gives for what travels along (cotangents of the results, or tangents of the arguments).
    constexpr list<node_index> rule(builder& b, node_index i, const list<node_index>& along) const {
        list<node_index> to;
        for (std::size_t k = 0; k < arguments; ++k) to.push_back(bound[k]);
        for (std::size_t r = 0; r < results; ++r) to.push_back(region_result(b, i, r, b[parameters[arguments + r]]));
        for (const node_index x : along) to.push_back(x);
        return substitute(b, roots, parameters, to);
    }
    /// Whether a pullback says nothing of argument k, which is captured then.
    [[nodiscard]] constexpr bool is_silent(std::size_t k) const { return by_cotangents() && k >= roots.size(); }
    static constexpr void refuse_captured(bool has_slope) {
        if (has_slope)
            throw value_error("[dyad] odeint_adjoint: the function captures what is differentiated by; pass it as a further argument");
    }
    /// 1 for the k-th of `count` that travel along, 0 for the others.
    constexpr list<node_index> unit(builder& b, std::size_t k, std::size_t count) const {
        list<node_index> result;
        for (std::size_t j = 0; j < count; ++j) {
            const node_index like = parameters[arguments + results + j];
            result.push_back(b.broadcast_to(b.constant(exact(j == k ? 1 : 0), b[like].type), like));
        }
        return result;
    }
};

/// The steps of a state that can be computed backwards, taken apart.
struct invertible_parts {
    std::size_t size = 0;  ///< of the state
    std::size_t steps = 0;
    list<node_index> captured, arguments, results; ///< parameters
    list<node_index> captured_values, argument_values;
    list<node_index> roots; ///< of each step: its results, its arguments

    constexpr invertible_parts(builder& b, node_index i) : size(links(b.nodes.data(), b[i].operand[0]).size()) {
        const list<node_index> binds = bindings(b.nodes.data(), i);
        const std::size_t count = binds.size() - 2 * size;
        for (std::size_t k = 0; k < binds.size(); ++k) {
            const node_index own = b.add(parameter_of(b[binds[k]])), value = b[binds[k]].operand[1];
            (k < count ? captured : k < count + size ? arguments : results).push_back(own);
            if (k < count) captured_values.push_back(value);
            if (k >= count && k < count + size) argument_values.push_back(value);
        }
        for (const node_index e : links(b.nodes.data(), b[i].operand[2])) roots.push_back(b[e].operand[1]);
        steps = roots.size() / (2 * size);
    }
    /// The results of a step, by its arguments.
    [[nodiscard]] constexpr list<node_index> forward(std::size_t step) const {
        list<node_index> part;
        for (std::size_t k = 0; k < size; ++k) part.push_back(roots[2 * step * size + k]);
        return part;
    }
    /// The arguments of a step whose results are `y`.
    constexpr list<node_index> back(builder& b, std::size_t step, const list<node_index>& y) const {
        list<node_index> part, from = captured, to = captured_values;
        for (std::size_t k = 0; k < size; ++k) {
            part.push_back(roots[(2 * step + 1) * size + k]);
            from.push_back(results[k]);
            to.push_back(y[k]);
        }
        return substitute(b, part, from, to);
    }
};

} // namespace dyad
