// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What running a loop or a branch takes, once it is taken apart (levels.hpp), and how a call of it says which one it is.
#pragma once

#include <dyad/base/is.hpp>
#include <dyad/graph/region.hpp>

namespace dyad {

enum class region_kind : std::uint8_t { rising, falling, repeat, sweep, branch };
DYAD_COMPARED(region_kind)
/// Beside the body: a condition, the other function, or the rounds that are computed again.
constexpr bool has_two_bodies(region_kind kind) {
    return is(kind, region_kind::repeat) || is(kind, region_kind::branch) || is(kind, region_kind::sweep);
}

/// In the bits of a call: the region is a loop whose rounds are counted as it runs; a branch. Above, the number of results,
/// and of the values at the head of what its body computes.
inline constexpr std::uint64_t repeat_call = std::uint64_t{1} << 31, branch_call = std::uint64_t{1} << 30;
constexpr bool is_repeat_call(const node& call) {
    return (call.bits & repeat_call) != 0;
}
constexpr std::size_t region_number(const node& call) {
    return call.bits & (branch_call - 1);
}
constexpr std::uint64_t results_of_call(const node& call) {
    return call.bits >> 32 & 0xffff;
}
constexpr std::uint64_t values_of_body(const node& call) {
    return call.bits >> 48;
}

/// Whether a body computes on numbers alone: what it takes of arrays are elements.
constexpr bool is_of_numbers(graph_view g) {
    for (std::size_t k = 0; k < g.output_count; ++k) {
        if (g[g.outputs[k]].rank != 0) return false;
    }
    for (std::size_t i = 0; i < g.size; ++i) {
        const opcode op = g[i].op;
        if (g[i].rank != 0 && !is(op, opcode::borrowed) && !is(op, opcode::trail) && !is(op, opcode::entry) && !is(op, opcode::history)) return false;
        if (g[i].is(opcode::at) && g[i].rank != 0) return false;
        if (is_array_operation(op) && !is_region_operation(op)) return false;
    }
    return true;
}

/// What running a region takes.
struct region_info {
    region_kind kind = region_kind::rising;
    std::uint16_t values = 0;  ///< that go round, or arguments of a branch
    std::uint16_t numbers = 0; ///< captured
    std::uint16_t buffers = 0; ///< captured histories
    std::uint16_t slots = 0;   ///< numbers kept of each round
    std::uint16_t results = 0; ///< without the number of rounds
    std::uint16_t replays = 0; ///< of a sweep: the first ones of the values
    stored_steps how = {};     ///< of a sweep
};

} // namespace dyad
