// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What an error in the middle of a program would leave half-written: a plan comes in, and for each output the answer
// whether it may be written in place. Shapes are checked before anything runs; positions, empty extrema, parts that are
// not there and singular matrices are seen on the way.
#pragma once

#include <dyad/pass/schedule.hpp>

namespace dyad {

/// Where a step can fail.
enum class failing : unsigned char { never, before_it_writes, halfway };

/// As far as the operation says.
constexpr failing failing_of_operation(opcode op) {
    switch (op) {
    case opcode::call:
    case opcode::reshape:
    case opcode::reshape_like:
    case opcode::take:
    case opcode::scatter_add:
    case opcode::reduce_max:
    case opcode::reduce_min:
    case opcode::arg_max:
    case opcode::arg_min: return failing::before_it_writes;
    case opcode::solve:
    case opcode::inverse:
    case opcode::cholesky:
    case opcode::det:
    case opcode::logabsdet:
    case opcode::cofactors:
    case opcode::eigh_values:
    case opcode::eigh_vectors:
    case opcode::qr_q:
    case opcode::qr_r:
    case opcode::svd_u:
    case opcode::svd_s:
    case opcode::svd_v: return failing::halfway;
    default: return failing::never;
    }
}
constexpr failing failing_of(graph_view g, node_index i) {
    const node& n = g[i];
    switch (n.op) {
    case opcode::slice: return (n.ones >> axis_of(n.bits) & 1) != 0 ? failing::before_it_writes : failing::never;
    default: return failing_of_operation(n.op);
    }
}

/// The plan `Program::planned` with its failures.
template <class Program>
struct failures {
    static constexpr const auto& plan = Program::planned;
    static constexpr graph_view graph = Program::graph;

    static constexpr failing of_step(std::size_t s) {
        const plan_step& step = plan.steps[s];
        if (step.kind != plan_step::loop) return failing_of(graph, step.index);
        failing f = failing::never;
        for (std::size_t k = 0; k < plan.loops[step.index].count; ++k) {
            const node_index to = plan.sinks[plan.loops[step.index].first + k].node;
            if (to < graph.size && failing_of(graph, to) != failing::never) f = failing::before_it_writes;
        }
        return f;
    }
    /// The steps up to the last one that may fail.
    static constexpr std::size_t steps = [] {
        std::size_t count = 0;
        for (std::size_t s = 0; s < plan.step_count; ++s) count = of_step(s) == failing::never ? count : s + 1;
        return count;
    }();
    /// Whether step s writes to the memory of an output.
    static constexpr bool writes(std::size_t s, std::size_t output) {
        const node_index own = plan.output_node[output];
        const auto is_own = [&](node_index to) {
            return to == graph.size + output || (own != no_node && (to == own || (to < graph.size && (plan.host[to] == own || plan.home[to] == own))));
        };
        const plan_step& step = plan.steps[s];
        if (step.kind != plan_step::loop) return step.kind == plan_step::call && is_own(step.index);
        for (std::size_t k = 0; k < plan.loops[step.index].count; ++k) {
            if (is_own(plan.sinks[plan.loops[step.index].first + k].node)) return true;
        }
        return false;
    }
    /// Whether an output has been written, or half of it, when a step fails.
    static constexpr bool spoils(std::size_t output) {
        for (std::size_t s = 0; s < steps; ++s) {
            const bool last_chance = s + 1 == steps && of_step(s) == failing::before_it_writes;
            if (writes(s, output) && !last_chance) return true;
        }
        return false;
    }
};

} // namespace dyad
