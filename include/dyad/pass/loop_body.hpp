// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// One loop of a plan as a graph of numbers: what happens to one element. Its inputs are loads, its outputs what the
// loop stores or accumulates.
#pragma once

#include <dyad/pass/schedule.hpp>
#include <dyad/pass/simplify.hpp>

namespace dyad {

/// Which axis of an array each axis of a loop walks along: the array's axis from the end, or `none`.
struct axis_map {
    static constexpr std::uint8_t none = 0xff;
    std::uint8_t of[max_rank] = {none, none, none, none, none, none, none, none};

    friend constexpr bool operator==(const axis_map&, const axis_map&) = default;
};
struct load {
    node_index node = 0;
    axis_map axes;
    friend constexpr bool operator==(const load&, const load&) = default;
};
struct store {
    node_index node = 0;             ///< as in `sink`
    opcode how = opcode::constant;   ///< a reduction's operation; else stored as it is
    axis_map axes;
};

struct loop_code {
    graph body;
    list<load> loads;
    list<store> stores;
};

/// `Plan` has, by node, `stored`, `time` and `size_of`; and `sinks`.
template <class Plan>
class loop_writer {
public:
    constexpr loop_writer(graph_view g, const Plan& p, const loop_plan& loop, policy rewriting)
        : g_(g), plan_(p), loop_(loop), b_(rewriter_of(rewriting)), axes_(g.size), needed_(g.size) {}

    constexpr loop_code run() {
        const auto sink_at = [&](std::size_t s) { return plan_.sinks[loop_.first + s]; };
        for (std::size_t s = 0; s < loop_.count; ++s) {
            const node_index i = sink_at(s).value;
            needed_.at[i] = true;
            axes_.at[i] = whole(i);
        }
        for (node_index i = static_cast<node_index>(g_.size); i-- > 0;) {
            if (needed_.at[i] && !is_loaded(i)) reach_operands(i);
        }
        list<node_index> place(g_.size, no_node);
        for (node_index i = 0; i < g_.size; ++i) {
            if (needed_.at[i]) place.at[i] = is_loaded(i) ? loaded(i) : computed(i, place);
        }
        list<node_index> outputs;
        for (std::size_t s = 0; s < loop_.count; ++s) {
            const sink k = sink_at(s);
            node_index out = place.at[k.value];
            if (g_[k.value].type == element::boolean)
                out = b_.emit(opcode::where, out, b_.constant(exact(1)), b_.constant(exact(0)));
            outputs.push_back(out);
            const bool reduces = k.node < g_.size && role_of(g_[k.node].op) == role::reduction;
            result_.stores.push_back({k.node, reduces ? g_[k.node].op : opcode::constant, stored_axes(k, reduces)});
        }
        result_.body = b_.finish(outputs);
        result_.body.input_count = static_cast<std::uint32_t>(result_.loads.size());
        return result_;
    }

private:
    /// Along which axis of node i each axis of the loop walks, if i has all of them.
    [[nodiscard]] constexpr axis_map whole(node_index i) const {
        axis_map m;
        unsigned at = 0;
        for (unsigned k = g_[i].rank; k-- > 0;) {
            if (plan_.size_of[i][k] != 0) m.of[at++] = static_cast<std::uint8_t>(k);
        }
        return m;
    }
    /// The axes of a result: those of the value that are left, renumbered.
    [[nodiscard]] constexpr axis_map stored_axes(const sink& s, bool reduces) const {
        axis_map m = axes_.at[s.value];
        const unsigned reduced = reduces ? axes_of(g_[s.node].bits) : 0;
        for (std::uint8_t& axis : m.of) {
            if (axis == axis_map::none) continue;
            if ((reduced >> axis & 1) != 0) {
                axis = axis_map::none;
            } else {
                unsigned before = 0;
                for (unsigned k = 0; k < axis; ++k) before += reduced >> k & 1;
                axis = static_cast<std::uint8_t>(axis - before);
            }
        }
        return m;
    }
    [[nodiscard]] constexpr bool is_loaded(node_index i) const {
        const role r = role_of(g_[i].op);
        if (r != role::elementwise) return r != role::constant;
        if (!plan_.stored[i]) return false;
        bool number = true;
        for (unsigned k = 0; k < g_[i].rank; ++k) number = number && plan_.size_of[i][k] == 0;
        return plan_.time[i] < loop_.time || (number && loop_.space.rank != 0);
    }
    constexpr void reach_operands(node_index i) {
        for (int k = 0; k < operands_read(g_[i]); ++k) {
            const node_index x = g_[i].operand[k];
            needed_.at[x] = true;
            for (std::uint8_t a = 0; a < max_rank; ++a) {
                const std::uint8_t axis = axes_.at[i].of[a];
                const bool walks = axis < g_[x].rank && plan_.size_of[x][axis] != 0;
                axes_.at[x].of[a] = walks ? axis : axis_map::none;
            }
        }
    }
    /// An input of the body; views that only add or drop axes of size 1 are their operand.
    constexpr node_index loaded(node_index i) {
        load l{i, axes_.at[i]};
        for (;;) {
            const node& n = g_[l.node];
            const unsigned axes = axes_of(n.bits);
            if (n.op != opcode::expand && n.op != opcode::squeeze) break;
            for (std::uint8_t& axis : l.axes.of) {
                if (axis == axis_map::none) continue;
                unsigned to = 0;
                if (n.op == opcode::expand) {
                    for (unsigned k = 0; k < axis; ++k) to += (axes >> k & 1) == 0 ? 1 : 0;
                } else {
                    for (unsigned left = axis; (axes >> to & 1) != 0 || left-- > 0;) ++to;
                }
                axis = static_cast<std::uint8_t>(to);
            }
            l.node = n.operand[0];
        }
        if (g_[l.node].op == opcode::constant) return b_.add(g_[l.node]);
        std::uint32_t number = 0;
        while (number < result_.loads.size() && !(result_.loads.at[number] == l)) ++number;
        if (number == result_.loads.size()) result_.loads.push_back(l);
        return b_.input(number, g_[i].type);
    }
    constexpr node_index computed(node_index i, const list<node_index>& place) {
        node n = g_[i];
        if (n.op == opcode::constant) return b_.add(n);
        if (n.op == opcode::broadcast_like || n.op == opcode::fill) return place.at[n.operand[0]];
        for (int k = 0; k < n.arity(); ++k) n.operand[k] = place.at[n.operand[k]];
        set_shape(n, {});
        return b_.emit(n);
    }

    graph_view g_;
    const Plan& plan_;
    const loop_plan& loop_;
    builder b_;
    list<axis_map> axes_;
    list<bool> needed_;
    loop_code result_;
};

} // namespace dyad
