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

#include <dyad/pass/region_info.hpp>
#include <dyad/pass/region_parts.hpp>

namespace dyad {

/// The body of a region with arrays as arguments after the numbers, where histories and captured arrays were borrowed.
constexpr graph with_array_inputs(graph_view g) {
    builder b;
    list<node_index> place(g.size);
    std::uint32_t count = g.input_count;
    for (std::size_t i = 0; i < g.size; ++i) {
        node n = g[i];
        for (int k = 0; k < n.arity(); ++k) n.operand[k] = place[n.operand[k]];
        if (n.is(opcode::borrowed)) {
            const auto number = static_cast<std::uint32_t>(g.input_count + n.bits);
            n = input_node(number, n.type, n.rank, n.ones);
            if (number >= count) count = number + 1;
        }
        place[i] = b.add(n);
    }
    graph result = static_cast<builder&&>(b).finish_copy(g, place);
    result.input_count = count;
    return result;
}

template <class View>
class levels {
public:
    /// Of a resolved graph and its regions.
    constexpr levels(View g, region_parts_view regions) : g_(g), regions_(regions) {}

    [[nodiscard]] constexpr region_info info(std::size_t k) const {
        const node& n = region(k);
        const auto size = [&](region_part::group which) { return static_cast<std::uint16_t>(regions_.of(k, which).size()); };
        region_info result{.values = size(region_part::used),
                           .numbers = size(region_part::numbers),
                           .buffers = size(region_part::buffers),
                           .slots = size(region_part::histories)};
        result.kind = n.is(opcode::branch) ? region_kind::branch : n.is(opcode::repeat) ? region_kind::repeat
                      : n.is(opcode::sweep) ? region_kind::sweep
                      : is_falling(n)         ? region_kind::falling
                                              : region_kind::rising;
        result.replays = static_cast<std::uint16_t>(replays_of(k));
        if (n.is(opcode::sweep)) result.how = stored_by(n);
        result.results = n.is(opcode::branch) ? size(region_part::results) : result.values;
        return result;
    }

    /// The graph outside.
    [[nodiscard]] constexpr graph outside() const {
        builder b(&store_unchanged, g_.size);
        list<node_index> place(g_.size, no_node), elements;
        for (node_index i = 0; i < g_.size; ++i) {
            if (g_.nodes[i].is(opcode::at)) elements.push_back(i);
        }
        for (node_index i = 0; i < g_.size; ++i) {
            if (!regions_.needed[i]) continue;
            node n = g_[i];
            if (is_region(n.op)) {
                place[i] = call(b, number_of(i), place, elements);
                continue;
            }
            const bool of_region = n.arity() > 0 && is_region(g_[n.operand[0]].op);
            for (int k = 0; k < n.arity(); ++k) n.operand[k] = place[n.operand[k]];
            if (of_region) {
                const std::size_t k = number_of(g_[i].operand[0]);
                n.bits = n.is(opcode::history) ? position(regions_.of(k, region_part::histories), i) : result_position(k, i);
            }
            if (n.is(opcode::history)) {
                n.op = opcode::trail;
                n.operand[1] = 0;
            }
            place[i] = b.add(n);
        }
        return static_cast<builder&&>(b).finish_copy(g_, place);
    }

    /// A body: of a loop its rounds (0), its condition or the rounds that are replayed (1), of a branch what is done if the
    /// condition holds (0) or not (1).
    [[nodiscard]] constexpr graph body(std::size_t k, int which) const {
        const node& n = region(k);
        list<node_index> roots;
        if (n.is(opcode::branch)) {
            for (const node_index r : regions_.of(k, region_part::results)) roots.push_back(choice_of(g_, regions_.parts[k].at, r).operand[1 + which]);
        } else if (which == 1 && n.is(opcode::repeat)) {
            roots.push_back(n.operand[0]);
        } else {
            const opcode link = which == 1 ? opcode::replay : opcode::carry;
            for (const node_index c : regions_.of(k, region_part::used)) {
                if (g_[c].op == link) roots.push_back(g_[c].operand[2]);
            }
            if (which == 0) {
                for (const node_index h : regions_.of(k, region_part::histories)) roots.push_back(g_[h].operand[1]);
            }
        }
        return copied(k, roots);
    }

private:
    [[nodiscard]] constexpr const node& region(std::size_t k) const { return g_[regions_.parts[k].at]; }
    [[nodiscard]] static constexpr std::uint64_t position(node_range in, node_index x) {
        std::size_t k = 0;
        while (k < in.size() && in[k] != x) ++k;
        return k;
    }
    [[nodiscard]] constexpr std::size_t number_of(node_index region) const {
        std::size_t k = 0;
        while (regions_.parts[k].at != region) ++k;
        return k;
    }
    /// Where a result lies among those of the call; the number of rounds comes last.
    [[nodiscard]] constexpr std::uint64_t result_position(std::size_t k, node_index result) const {
        if (region(k).is(opcode::branch)) return position(regions_.of(k, region_part::results), result);
        const node_range used = regions_.of(k, region_part::used);
        return g_[result].bits == rounds_result ? used.size() : position(used, regions_.of(k, region_part::binds)[g_[result].bits]);
    }
    [[nodiscard]] constexpr std::size_t replays_of(std::size_t k) const {
        const node_range used = regions_.of(k, region_part::used);
        std::size_t count = 0;
        while (count < used.size() && g_[used[count]].is(opcode::replay)) ++count;
        return count;
    }
    /// Whether a loop takes an array element by element, at its index.
    [[nodiscard]] constexpr bool is_gone_through(const node& region, node_index x, const list<node_index>& elements) const {
        if (!is_loop(region.op)) return false;
        const node index = index_parameter_of(region);
        for (const node_index i : elements) {
            if (g_[i].operand[0] == x && g_[g_[i].operand[1]] == index) return true;
        }
        return false;
    }
    constexpr node_index call(builder& b, std::size_t k, const list<node_index>& place, const list<node_index>& elements) const {
        const node& n = region(k);
        const node_range used = regions_.of(k, region_part::used);
        list<node_index> operands;
        if (!n.is(opcode::repeat)) operands.push_back(place[n.operand[0]]);
        for (const node_index c : used) operands.push_back(place[g_[c].operand[1]]);
        for (const node_index x : regions_.of(k, region_part::numbers)) operands.push_back(place[x]);
        node_index chain = entries(b, operands);
        for (const node_index x : regions_.of(k, region_part::buffers))
            chain = link(b, opcode::entry, chain, place[x], 0, is_gone_through(n, x, elements) ? 1 : 0);
        const std::uint64_t results = n.is(opcode::branch) ? regions_.of(k, region_part::results).size() : used.size() + 1;
        const std::uint64_t values = used.size() - replays_of(k);
        const std::uint64_t kind = n.is(opcode::repeat) ? repeat_call : n.is(opcode::branch) ? branch_call : 0;
        return b.add({.op = opcode::call, .operand = {chain, 0, 0}, .bits = k | results << 32 | values << 48 | kind});
    }
    [[nodiscard]] constexpr graph copied(std::size_t k, const list<node_index>& roots) const {
        const node_range used = regions_.of(k, region_part::used), buffers = regions_.of(k, region_part::buffers);
        builder b;
        list<node_index> place(g_.size, no_node);
        body_search<View> found(g_, regions_.bound);
        for (const node_index r : roots) found.add(r);
        std::uint32_t next = 1; // input 0 is the index
        const bool counts = is_loop(region(k).op);
        const node_index index = b.input(0, element::integer);
        list<node_index> inputs;
        for (const node_index bind : used) inputs.push_back(b.input(next++, g_[bind].type, shape_of(g_[bind])));
        for (const node_index x : regions_.of(k, region_part::numbers)) place[x] = b.input(next++, g_[x].type);
        for (std::uint32_t j = 0; j < buffers.size(); ++j) {
            const node& x = g_[buffers[j]];
            place[buffers[j]] = b.add({.op = opcode::borrowed, .type = x.type, .rank = x.rank, .ones = x.ones, .bits = j});
        }
        for (node_index i = found.lowest, end = end_of(roots); i < end; ++i) {
            if (!found.inside.at[i] || place.at[i] != no_node) continue;
            node n = g_.nodes[i];
            if (n.is(opcode::parameter)) {
                if (counts && n == index_parameter_of(region(k))) place[i] = index;
                for (std::size_t j = 0; j < used.size(); ++j) {
                    if (n == parameter_of(g_[used[j]])) place[i] = inputs[j];
                }
            }
            for (int j = n.arity(); j-- > 0;) n.operand[j] = place[n.operand[j]];
            if (place[i] == no_node) place[i] = b.add(n);
        }
        list<node_index> outputs;
        for (const node_index r : roots) outputs.push_back(b.as_number(place[r]));
        return b.finish(outputs);
    }

    View g_;
    region_parts_view regions_;
};

} // namespace dyad
