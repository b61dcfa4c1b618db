// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Takes a graph with loops and branches apart, into the graph outside, where each of them is one `call`, and the graphs of
// their bodies, which may have such again. Bodies compute nothing that does not depend on their parameters, and carry
// nothing round that no result needs. Each graph is then lowered on its own.
//
//     call[k](entries)     region k; entries: count or condition; first values; captured numbers; captured histories
//     trail[s](call)       history s that the region writes
//     borrowed[k]          in a body: captured history k; its inputs are the index, the values, the captured numbers
#pragma once

#include <dyad/graph/free_parameters.hpp>

namespace dyad {

enum class region_kind : std::uint8_t { rising, falling, repeat, sweep, branch };
/// Beside the body: a condition, the other function, or the rounds that are computed again.
constexpr bool has_two_bodies(region_kind kind) {
    return kind == region_kind::repeat || kind == region_kind::branch || kind == region_kind::sweep;
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

/// The body of a region with arrays as arguments after the numbers, where histories and captured arrays were borrowed.
constexpr graph with_array_inputs(graph_view g) {
    builder b;
    list<node_index> place(g.size);
    std::uint32_t count = g.input_count;
    for (std::size_t i = 0; i < g.size; ++i) {
        node n = g[i];
        for (int k = 0; k < n.arity(); ++k) n.operand[k] = place[n.operand[k]];
        if (n.op == opcode::borrowed) {
            const auto number = static_cast<std::uint32_t>(g.input_count + n.bits);
            n = input_node(number, n.type, n.rank, n.ones);
            if (number >= count) count = number + 1;
        }
        place[i] = b.add(n);
    }
    graph result = b.finish_copy(g, place);
    result.input_count = count;
    return result;
}

/// Whether a body computes on numbers alone: what it takes of arrays are elements.
constexpr bool is_of_numbers(graph_view g) {
    for (std::size_t k = 0; k < g.output_count; ++k) {
        if (g[g.outputs[k]].rank != 0) return false;
    }
    for (std::size_t i = 0; i < g.size; ++i) {
        const opcode op = g[i].op;
        if (g[i].rank != 0 && op != opcode::borrowed && op != opcode::trail && op != opcode::entry && op != opcode::history) return false;
        if (g[i].op == opcode::at && g[i].rank != 0) return false;
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

class levels {
public:
    /// Of a resolved graph.
    constexpr explicit levels(graph_view g) : g_(g), free_(g.nodes, all_of(g)), needed_(g.size), place_(g.size, no_node) {
        for (std::size_t k = 0; k < g.output_count; ++k) needed_[g.outputs[k]] = true;
        list<std::size_t> number(g.size);
        for (node_index i = static_cast<node_index>(g.size); i-- > 0;) {
            if (!needed_[i]) continue;
            const node& n = g[i];
            const bool of_region = n.op == opcode::history || (n.op == opcode::result && is_region(g[n.operand[0]].op));
            if (of_region) {
                if (!needed_[n.operand[0]]) {
                    number[n.operand[0]] = parts_.size();
                    parts_.push_back({n.operand[0], bindings(g.nodes, n.operand[0]), {}, {}, {}, {}, {}});
                    needed_[n.operand[0]] = true;
                }
                part& p = parts_[number[n.operand[0]]];
                (n.op == opcode::history ? p.histories : p.results).push_back(i);
            } else if (is_region(n.op)) {
                explore(parts_[number[i]]);
            } else {
                for (int k = 0; k < n.arity(); ++k) needed_[n.operand[k]] = true;
            }
        }
    }

    [[nodiscard]] constexpr std::size_t count() const { return parts_.size(); }
    [[nodiscard]] constexpr region_info info(std::size_t k) const {
        const part& p = parts_[k];
        const node& n = g_[p.at];
        const auto size = [](const list<node_index>& l) { return static_cast<std::uint16_t>(l.size()); };
        region_info result{.values = size(p.used), .numbers = size(p.numbers), .buffers = size(p.buffers), .slots = size(p.histories)};
        result.kind = n.op == opcode::branch ? region_kind::branch : n.op == opcode::repeat ? region_kind::repeat
                      : n.op == opcode::sweep ? region_kind::sweep
                      : is_falling(n)         ? region_kind::falling
                                              : region_kind::rising;
        result.replays = static_cast<std::uint16_t>(replays_of(p));
        if (n.op == opcode::sweep) result.how = stored_by(n);
        result.results = n.op == opcode::branch ? size(p.results) : result.values;
        return result;
    }

    /// The graph outside.
    constexpr graph outside() {
        builder b;
        for (node_index i = 0; i < g_.size; ++i) {
            if (!needed_[i]) continue;
            node n = g_[i];
            if (is_region(n.op)) {
                place_[i] = call(b, number_of(i));
                continue;
            }
            const bool of_region = n.arity() > 0 && is_region(g_[n.operand[0]].op);
            for (int k = 0; k < n.arity(); ++k) n.operand[k] = place_[n.operand[k]];
            if (n.op == opcode::history) {
                n.op = opcode::trail;
                n.bits = position(parts_[number_of(g_[i].operand[0])].histories, i);
                n.operand[1] = 0;
            } else if (of_region) {
                n.bits = result_position(parts_[number_of(g_[i].operand[0])], i);
            }
            place_[i] = b.add(n);
        }
        return b.finish_copy(g_, place_);
    }

    /// A body: of a loop its rounds (0), its condition or the rounds that are replayed (1), of a branch what is done if the
    /// condition holds (0) or not (1).
    [[nodiscard]] constexpr graph body(std::size_t k, int which) const {
        const part& p = parts_[k];
        const node& region = g_[p.at];
        list<node_index> roots;
        if (region.op == opcode::branch) {
            for (const node_index r : p.results) roots.push_back(choice_of(region, r).operand[1 + which]);
        } else if (which == 1 && region.op == opcode::repeat) {
            roots.push_back(region.operand[0]);
        } else {
            const opcode link = which == 1 ? opcode::replay : opcode::carry;
            for (const node_index c : p.used) {
                if (g_[c].op == link) roots.push_back(g_[c].operand[2]);
            }
            for (std::size_t h = 0; h < p.histories.size() && which == 0; ++h) roots.push_back(g_[p.histories[h]].operand[1]);
        }
        return copied(p, roots);
    }

private:
    static constexpr list<bool> all_of(graph_view g) {
        list<node_index> roots;
        for (std::size_t k = 0; k < g.output_count; ++k) roots.push_back(g.outputs[k]);
        return reached(g.nodes, g.size, roots);
    }
    /// A region, and what is needed of it and for it.
    struct part {
        node_index at = no_node;
        list<node_index> binds;
        list<node_index> results; ///< nodes that name its results
        list<node_index> histories;
        list<node_index> used; ///< those of the binds whose parameters or results are needed
        list<node_index> numbers, buffers;
    };

    [[nodiscard]] static constexpr std::uint64_t position(const list<node_index>& in, node_index x) {
        for (std::size_t k = 0; k < in.size(); ++k) {
            if (in[k] == x) return k;
        }
        return in.size();
    }
    [[nodiscard]] constexpr std::size_t number_of(node_index region) const {
        std::size_t k = 0;
        while (parts_[k].at != region) ++k;
        return k;
    }
    [[nodiscard]] constexpr const node& choice_of(const node& region, node_index result) const {
        return g_[links(g_.nodes, region.operand[2])[g_[result].bits]];
    }
    /// Where a result lies among those of the call; the number of rounds comes last.
    [[nodiscard]] constexpr std::uint64_t result_position(const part& p, node_index result) const {
        if (g_[p.at].op == opcode::branch) return position(p.results, result);
        return g_[result].bits == rounds_result ? p.used.size() : position(p.used, p.binds[g_[result].bits]);
    }
    [[nodiscard]] constexpr std::size_t replays_of(const part& p) const {
        std::size_t k = 0;
        while (k < p.used.size() && g_[p.used[k]].op == opcode::replay) ++k;
        return k;
    }
    /// Marks what the body computes under its roots; says what it captures to `capture`.
    template <class Capture>
    constexpr void mark_body(list<bool>& inside, Capture capture) const {
        for (node_index i = static_cast<node_index>(g_.size); i-- > 0;) {
            if (!inside[i]) continue;
            // (A loop that is the same in every round, but keeps something that is not, runs inside.)
            if (free_.empty(i) && !is_link(g_[i].op) && !is_region(g_[i].op)) {
                if (g_[i].op != opcode::constant) capture(i);
                continue;
            }
            for (int k = 0; k < g_[i].arity(); ++k) inside[g_[i].operand[k]] = true;
        }
    }
    constexpr void explore(part& p) {
        const node& region = g_[p.at];
        list<bool> inside(g_.size), captured(g_.size), used(p.binds.size());
        if (region.op == opcode::branch) {
            for (const node_index r : p.results) {
                for (const int arm : {1, 2}) inside[choice_of(region, r).operand[arm]] = true;
            }
        } else {
            for (const node_index r : p.results) {
                if (g_[r].bits != rounds_result) used[g_[r].bits] = true;
            }
            for (const node_index h : p.histories) inside[g_[h].operand[1]] = true;
            for (std::size_t k = 0; k < p.binds.size(); ++k) {
                if (used[k]) inside[g_[p.binds[k]].operand[2]] = true;
            }
        }
        if (region.op == opcode::repeat) inside[region.operand[0]] = true;
        if (region.op != opcode::repeat) needed_[region.operand[0]] = true;
        for (bool changed = true; changed;) {
            changed = false;
            mark_body(inside, [&](node_index x) { captured[x] = true; });
            for (std::size_t k = 0; k < p.binds.size(); ++k) {
                const node& bind = g_[p.binds[k]];
                if (used[k] || !contains(inside, parameter_of(bind))) continue;
                used[k] = changed = true;
                if (bind.op != opcode::bind) inside[bind.operand[2]] = true;
            }
        }
        for (const bool replays : {true, false}) {
            for (std::size_t k = 0; k < p.binds.size(); ++k) {
                if (!used[k] || (g_[p.binds[k]].op == opcode::replay) != replays) continue;
                p.used.push_back(p.binds[k]);
                needed_[g_[p.binds[k]].operand[1]] = true;
            }
        }
        for (node_index i = 0; i < g_.size; ++i) {
            if (!captured[i]) continue;
            needed_[i] = true;
            (g_[i].rank != 0 ? p.buffers : p.numbers).push_back(i);
        }
    }
    [[nodiscard]] constexpr bool contains(const list<bool>& marked, const node& parameter) const {
        for (std::size_t i = 0; i < g_.size; ++i) {
            if (marked[i] && g_[i] == parameter) return true;
        }
        return false;
    }
    /// Whether a loop takes an array element by element, at its index.
    [[nodiscard]] constexpr bool is_gone_through(const part& p, node_index x) const {
        const node& region = g_[p.at];
        bool result = false;
        for (std::size_t i = 0; i < g_.size && is_loop(region.op); ++i) {
            const node& n = g_[i];
            result = result || (n.op == opcode::at && n.operand[0] == x && g_[n.operand[1]] == index_parameter_of(region));
        }
        return result;
    }
    constexpr node_index call(builder& b, std::uint64_t number) const {
        const part& p = parts_[number];
        const node& region = g_[p.at];
        list<node_index> operands;
        if (region.op != opcode::repeat) operands.push_back(place_[region.operand[0]]);
        for (const node_index c : p.used) operands.push_back(place_[g_[c].operand[1]]);
        for (const node_index x : p.numbers) operands.push_back(place_[x]);
        node_index chain = entries(b, operands);
        for (const node_index x : p.buffers) chain = link(b, opcode::entry, chain, place_[x], 0, is_gone_through(p, x) ? 1 : 0);
        const std::uint64_t results = (region.op == opcode::branch ? p.results.size() : p.used.size() + 1);
        const std::uint64_t values = p.used.size() - replays_of(p);
        const std::uint64_t kind = region.op == opcode::repeat ? repeat_call : region.op == opcode::branch ? branch_call : 0;
        return b.add({.op = opcode::call, .operand = {chain, 0, 0}, .bits = number | results << 32 | values << 48 | kind});
    }
    [[nodiscard]] constexpr graph copied(const part& p, const list<node_index>& roots) const {
        builder b;
        list<node_index> place(g_.size, no_node);
        list<bool> inside(g_.size);
        for (const node_index r : roots) inside[r] = true;
        mark_body(inside, [](node_index) {});
        std::uint32_t next = 1; // input 0 is the index
        const bool counts = is_loop(g_[p.at].op);
        const node_index index = b.input(0, element::integer);
        list<node_index> inputs;
        for (const node_index bind : p.used) inputs.push_back(b.input(next++, g_[bind].type, shape_of(g_[bind])));
        for (const node_index x : p.numbers) place[x] = b.input(next++, g_[x].type);
        for (std::uint32_t k = 0; k < p.buffers.size(); ++k) {
            const node& x = g_[p.buffers[k]];
            place[p.buffers[k]] = b.add({.op = opcode::borrowed, .type = x.type, .rank = x.rank, .ones = x.ones, .bits = k});
        }
        for (node_index i = 0; i < g_.size; ++i) {
            if (!inside[i] || place[i] != no_node) continue;
            node n = g_[i];
            if (n.op == opcode::parameter) {
                if (counts && n == index_parameter_of(g_[p.at])) place[i] = index;
                for (std::size_t k = 0; k < p.used.size(); ++k) {
                    if (n == parameter_of(g_[p.used[k]])) place[i] = inputs[k];
                }
            }
            for (int k = 0; k < n.arity(); ++k) n.operand[k] = place[n.operand[k]];
            if (place[i] == no_node) place[i] = b.add(n);
        }
        list<node_index> outputs;
        for (const node_index r : roots) outputs.push_back(b.as_number(place[r]));
        return b.finish(outputs);
    }

    graph_view g_;
    free_parameters free_;
    list<bool> needed_;
    list<node_index> place_;
    list<part> parts_;
};

} // namespace dyad
