// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The gradient of a long program, in steps: compilers limit the work of one evaluation. Between two steps the sweep stands as a graph, whose
// outputs are the function's value and, for each node that a cotangent has come to, the node, its cotangent and the mask of that.
#pragma once

#include <cstddef>

#include <dyad/op/opcode.hpp>
#include <dyad/pass/contribution.hpp>
#include <dyad/pass/derive.hpp>
#include <dyad/pass/reverse.hpp>

namespace dyad {

/// What the derivatives of an operation cost, in those of a product: selections make masks. (Counted in steps of clang's. Arguments and
/// constants are not worth a case.)
constexpr std::size_t work_of(opcode op) {
    switch (op) {
    case opcode::where: return 3;
    case opcode::max:
    case opcode::min:
    case opcode::fmax:
    case opcode::fmin: return 6;
    case opcode::clamp: return 12;
    default: return 1;
    }
}
/// The work of one step: about half of what clang allows to an evaluation.
inline constexpr std::size_t gradient_step = 900;

constexpr std::size_t gradient_steps(graph_view g) {
    std::size_t work = 0;
    for (std::size_t i = 0; i < g.size; ++i) work += work_of(g[i].op);
    return work / gradient_step + 1;
}
/// Whether the gradient of a function is made in steps. (Loops and branches are visited whole, with what is theirs. It is of numbers:
/// no cotangent is `picked`.)
constexpr bool has_gradient_in_steps(graph_view g, transform t) {
    return (is(t, transform::gradient) || is(t, transform::value_and_gradient)) && gradient_steps(g) > 1 && g.output_count == 1 && !has_regions(g);
}

/// The next step, of as much work, on the graph that the step before has made, or on the function itself; with the last step, which
/// visits all that is left, the gradient.
template <class Rules>
constexpr graph with_cotangents(graph_view g, const list<std::uint32_t>& by, transform t, policy p, std::size_t step, std::size_t steps,
                                std::size_t most = gradient_step) {
    opened_graph f(g, by, p, {});
    builder& b = f.b;
    const node_index value = f.outputs[0];
    list<node_index> from;
    for (std::size_t k = 1; k < f.outputs.size(); k += 3) from.push_back(f.outputs[k]);
    if (step == 0) from.push_back(value);
    reverse_sweep<Rules> sweep(b, from, f.by);
    if (step == 0) sweep.add(value, {b.constant(exact(1), b[value].type), no_node, no_node});
    for (std::size_t k = 1; k < f.outputs.size(); k += 3) {
        const node_index x = f.outputs[k], mask = f.outputs[k + 2];
        sweep.add(x, {f.outputs[k + 1], mask == x ? no_node : mask, no_node});
    }
    node_index i = sweep.end;
    for (std::size_t done = 0; i > 0 && (done < most || step + 1 == steps);) {
        if (!sweep.reached(--i)) continue;
        done += work_of(b[i].op);
        sweep.visit(i);
    }
    list<node_index> outputs;
    if (step + 1 == steps) {
        if (is(t, transform::value_and_gradient)) outputs.push_back(value);
        for (const node_index cotangent : sweep.cotangents()) outputs.push_back(cotangent);
        return b.finish(outputs);
    }
    outputs.push_back(value);
    for (node_index x = 0; x < sweep.end; ++x) {
        if (!sweep.reached(x) || (x >= i && !sweep.independent(x))) continue;
        const contribution& c = sweep.cotangent(x);
        for (const node_index part : {x, c.value, c.mask == no_node ? x : c.mask}) outputs.push_back(part);
    }
    return b.finish(outputs);
}

} // namespace dyad
