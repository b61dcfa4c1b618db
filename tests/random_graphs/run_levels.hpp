// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Graphs with loops, branches and rules, evaluated at run time, level by level, apart from dyad's kernels: numbers of a node in
// a vector, histories as vectors of their own.
#pragma once

#include "evaluate.hpp"

#include <algorithm>
#include <vector>

namespace dyad_test {

struct level;
struct region_of_level {
    dyad::region_info info;
    std::vector<level> bodies;
};
struct level {
    dyad::graph code;
    std::vector<region_of_level> regions;
};

inline level levels_of(graph_view g) {
    const dyad::graph whole = dyad::resolved(g);
    const dyad::region_parts regions = dyad::regions_in(whole.view());
    const dyad::levels apart(whole.view(), regions.view());
    level result{apart.outside(), {}};
    for (std::size_t k = 0; k < regions.parts.size(); ++k) {
        region_of_level r{apart.info(k), {}};
        for (int which = 0; which < (dyad::has_two_bodies(r.info.kind) ? 2 : 1); ++which) r.bodies.push_back(levels_of(apart.body(k, which)));
        result.regions.push_back(std::move(r));
    }
    return result;
}

using numbers = std::vector<double>;
numbers run(const level& l, const numbers& input, const std::vector<numbers>& borrowed, std::size_t index);

/// Rounds back, with the states that the loop says, stored in a vector.
struct sweep_of_level {
    const region_of_level& region;
    numbers input;
    const std::vector<numbers>& borrowed;
    std::vector<numbers>& kept;
    std::vector<numbers> states{};

    void store(std::size_t slot) {
        if (states.size() <= slot) states.resize(slot + 1);
        states[slot].assign(input.begin() + 1, input.begin() + 1 + region.info.replays);
    }
    void load(std::size_t slot) { std::copy(states[slot].begin(), states[slot].end(), input.begin() + 1); }
    void advance(std::size_t round) {
        input[0] = static_cast<double>(round);
        const numbers next = run(region.bodies[1], input, borrowed, round);
        std::copy_n(next.begin(), region.info.replays, input.begin() + 1);
    }
    void take_back(std::size_t round) {
        input[0] = static_cast<double>(round);
        const numbers next = run(region.bodies[0], input, borrowed, round);
        const std::size_t carries = std::size_t{region.info.values} - region.info.replays;
        for (std::size_t k = 0; k < carries; ++k) input[region.info.replays + k + 1] = next[k];
        for (std::size_t k = 0; k < region.info.slots; ++k) kept[k][round] = next[carries + k];
    }
};

/// A region's results; what it keeps goes to `kept`, slot by slot.
inline numbers run(const region_of_level& r, const numbers& operand, const std::vector<numbers>& borrowed, std::vector<numbers>& kept) {
    using kind = dyad::region_kind;
    const bool repeats = r.info.kind == kind::repeat;
    const std::size_t values = r.info.values;
    numbers input(values + r.info.numbers + 1), results;
    for (std::size_t k = 1; k < input.size(); ++k) input[k] = operand[k - (repeats ? 1 : 0)];
    kept.assign(r.info.slots, {});
    if (r.info.kind == kind::branch) return run(r.bodies[operand[0] != 0 ? 0 : 1], input, borrowed, 0);
    if (r.info.kind == kind::sweep) {
        const auto rounds = static_cast<std::size_t>(operand[0]);
        for (numbers& slot : kept) slot.resize(rounds);
        sweep_of_level sweep{r, input, borrowed, kept};
        if (r.info.replays == 0) {
            for (std::size_t round = rounds; round-- > 0;) sweep.take_back(round);
        } else {
            const dyad::reversal schedule(r.info.how, rounds, r.info.replays * sizeof(double));
            std::vector<std::size_t> places(schedule.slots() + 1);
            schedule.run(sweep, places.data());
        }
        results.assign(sweep.input.begin() + 1, sweep.input.begin() + 1 + static_cast<std::ptrdiff_t>(values));
        results.push_back(operand[0]);
        return results;
    }
    const std::size_t count = repeats ? 1000 : static_cast<std::size_t>(operand[0]);
    std::size_t rounds = count;
    for (numbers& slot : kept) slot.resize(count);
    for (std::size_t round = 0; round < count; ++round) {
        const std::size_t index = r.info.kind == kind::falling ? count - 1 - round : round;
        input[0] = static_cast<double>(index);
        if (repeats && run(r.bodies[1], input, borrowed, index)[0] == 0) {
            rounds = round;
            break;
        }
        const numbers next = run(r.bodies[0], input, borrowed, index);
        for (std::size_t k = 0; k < values; ++k) input[k + 1] = next[k];
        for (std::size_t k = 0; k < r.info.slots; ++k) kept[k][index] = next[values + k];
    }
    results.assign(input.begin() + 1, input.begin() + 1 + static_cast<std::ptrdiff_t>(values));
    results.push_back(static_cast<double>(rounds));
    return results;
}

/// A level's outputs.
inline numbers run(const level& l, const numbers& input, const std::vector<numbers>& borrowed, std::size_t index) {
    const graph_view g = l.code;
    numbers value(g.size), outputs;
    std::vector<numbers> buffer(g.size), results(g.size);
    std::vector<std::vector<numbers>> kept(g.size);
    for (node_index i = 0; i < g.size; ++i) {
        const node& n = g[i];
        switch (n.op) {
        case opcode::nothing: break;
        case opcode::entry:
            value[i] = value[n.operand[1]];
            buffer[i] = buffer[n.operand[1]];
            break;
        case opcode::borrowed: buffer[i] = borrowed[n.bits]; break;
        case opcode::trail: buffer[i] = kept[n.operand[0]][n.bits]; break;
        case opcode::at: value[i] = buffer[n.operand[0]].at(index); break;
        case opcode::call: {
            numbers operands;
            std::vector<numbers> buffers;
            for (const node_index entry : dyad::links(g.nodes, n.operand[0])) {
                if (dyad::is_buffer(g, entry)) {
                    buffers.push_back(buffer[entry]);
                } else {
                    operands.push_back(value[entry]);
                }
            }
            results[i] = run(l.regions[dyad::region_number(n)], operands, buffers, kept[i]);
            break;
        }
        case opcode::result:
            if (g[n.operand[0]].op == opcode::call) {
                value[i] = results[n.operand[0]].at(n.bits);
                break;
            }
            [[fallthrough]];
        default: value[i] = value_at(g, i, value, input);
        }
    }
    for (std::size_t k = 0; k < g.output_count; ++k) outputs.push_back(value[g.outputs[k]]);
    return outputs;
}

/// The outputs of a graph with regions.
inline numbers run(graph_view g, const numbers& input) { return run(levels_of(g), input, {}, 0); }

} // namespace dyad_test
