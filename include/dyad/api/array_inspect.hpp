// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What a program of arrays will do: how many passes over memory, calls and buffers; and the plan as text.
#pragma once

#include <dyad/api/array_kernel.hpp>
#include <dyad/array/constructors.hpp>
#include <dyad/array/eager_functions.hpp>
#include <dyad/base/text.hpp>
#include <dyad/graph/print.hpp>

namespace dyad {

/// The graph of a stateless function of arrays, or of a transform of one, before anything is planned:
/// `print(graph_of<xt::xtensor<double, 1>>(grad(f)))`.
template <class... Args, stateless F>
    requires has_array<Args...>
constexpr const auto& graph_of(const F&) {
    return transform_of<F>::template backend<Args...>::template derived<kind_of<Args>...>::graph;
}

/// The plan of a program, to count and to print.
struct plan_summary {
    graph_view graph;
    const plan_step* steps = nullptr;
    std::size_t step_count = 0;
    const loop_plan* loops = nullptr;
    const sink* sinks = nullptr;
    const bool* stored = nullptr;
    const bool* used = nullptr;
    const node_index* home = nullptr;
    const node_index* output_node = nullptr;

    /// Loops over the elements of arrays.
    [[nodiscard]] constexpr std::size_t passes() const {
        std::size_t count = 0;
        for (std::size_t s = 0; s < step_count; ++s)
            count += steps[s].kind == plan_step::loop && loops[steps[s].index].space.rank > 0 ? 1 : 0;
        return count;
    }
    /// Library routines.
    [[nodiscard]] constexpr std::size_t calls() const {
        std::size_t count = 0;
        for (std::size_t s = 0; s < step_count; ++s) count += steps[s].kind == plan_step::call ? 1 : 0;
        return count;
    }
    /// Arrays that are neither arguments nor results; those that share memory count once.
    [[nodiscard]] constexpr std::size_t buffers() const {
        std::size_t count = 0;
        for (std::size_t i = 0; i < graph.size; ++i) count += stored[i] && used[i] && graph[i].rank > 0 && home[i] == i ? 1U : 0U;
        for (std::size_t k = 0; k < graph.output_count; ++k)
            count -= output_node[k] != no_node && graph[output_node[k]].rank > 0 ? 1U : 0U;
        return count;
    }
};

template <class Program>
constexpr plan_summary summary_of() {
    const auto& p = Program::planned;
    return {Program::graph, p.steps, p.step_count, p.loops, p.sinks, p.stored, p.used, p.home, p.output_node};
}

/// The plan of a function of arrays (or of a transform of one, or a kernel) for arguments of the given types:
/// `plan_of<xt::xtensor<double, 1>>(value_and_grad(f)).passes()`.
template <class... Args, class F>
constexpr plan_summary plan_of(const F&) {
    if constexpr (requires { typename F::template program<kind_of<Args>...>; }) {
        return summary_of<typename F::template program<kind_of<Args>...>>();
    } else {
        return summary_of<typename transform_of<F>::template backend<Args...>::template program<kind_of<Args>...>>();
    }
}

template <class... Args, class F>
constexpr plan_summary plan_of(const array_kernel<F>&) {
    return summary_of<typename host_kernel<F>::template program<kind_of<Args>...>>();
}

/// For example:
///
///     plan(1 input)
///       loop over 1 axis: n9 = sum of n8; n12 stored
[[nodiscard]] constexpr text print(const plan_summary& p) {
    text t("plan(");
    t.append(p.graph.input_count) += p.graph.input_count == 1 ? " input)\n" : " inputs)\n";
    for (std::size_t s = 0; s < p.step_count; ++s) {
        const plan_step step = p.steps[s];
        if (step.kind != plan_step::loop) {
            const node& n = p.graph[step.index];
            (t += step.kind == plan_step::call ? "  call " : "  view ") += node_name(p.graph, step.index);
            (t += " = ") += facts(n.op).name;
            for (int k = 0; k < n.arity(); ++k) (t += " ") += node_name(p.graph, n.operand[k]);
        } else {
            const loop_plan& loop = p.loops[step.index];
            (t += "  loop over ").append(loop.space.rank) += loop.space.rank == 1 ? " axis:" : " axes:";
            for (std::size_t k = 0; k < loop.count; ++k) {
                const sink& to = p.sinks[loop.first + k];
                t += k == 0 ? " " : "; ";
                if (to.node >= p.graph.size) {
                    (t += node_name(p.graph, to.value)) += " copied";
                } else if (to.node == to.value) {
                    (t += node_name(p.graph, to.node)) += " stored";
                } else {
                    ((t += node_name(p.graph, to.node)) += " = ") += facts(p.graph[to.node].op).name;
                    (t += " of ") += node_name(p.graph, to.value);
                }
            }
        }
        t += "\n";
    }
    return t;
}

} // namespace dyad
