// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// One loop of a plan as a graph of numbers: what happens to one element. Its inputs are loads, its outputs what the
// loop stores or accumulates.
#pragma once

#include <dyad/op/keeping.hpp>
#include <dyad/pass/schedule.hpp>
#include <dyad/pass/simplify.hpp>

namespace dyad {

/// Which axis of an array each axis of a loop walks along: the array's axis from the end, or `none`.
struct axis_map {
    static constexpr std::uint8_t none = 0xff;
    std::uint8_t of[max_rank] = {none, none, none, none, none, none, none, none};

    friend constexpr bool operator==(const axis_map&, const axis_map&) = default;
};
/// Where in a loop's space an array lies: how much later its first element comes along each axis of the loop, and
/// within which shift (whose operand has elements only there).
struct placement {
    int shift[max_rank] = {};
    node_index within[max_rank] = {no_node, no_node, no_node, no_node, no_node, no_node, no_node, no_node};

    friend constexpr bool operator==(const placement&, const placement&) = default;
};
struct load {
    node_index node = 0; ///< no_node: no load, but 1 where the placement has elements and 0 around
    axis_map axes;
    std::size_t place = 0; ///< number of its placement
    int skipped[max_rank] = {}; ///< by axis of the loop: elements of the array before those that the placement begins with
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
    list<placement> places; ///< number 0: the whole space
};

/// Which elements a body is for.
enum class extent_of_body : std::uint8_t {
    inside,  ///< those that all placements have
    anywhere ///< asks at each
};

/// `Plan` has, by node, `stored`, `shifted`, `time` and `size_of`; and `sinks`.
template <class Plan>
class loop_writer {
public:
    constexpr loop_writer(graph_view g, const Plan& p, const loop_plan& loop, policy rewriting, extent_of_body extent)
        : g_(g), plan_(p), loop_(loop), extent_(extent), b_(rewriter_of(rewriting)), axes_(g.size), first_(g.size), loaded_(g.size) {
        result_.places.push_back({});
    }

    constexpr loop_code run() {
        const auto sink_at = [&](std::size_t s) { return plan_.sinks[loop_.first + s]; };
        for (std::size_t s = 0; s < loop_.count; ++s) {
            const node_index i = sink_at(s).value;
            axes_.at[i] = whole(i);
            need(i, place_of(sink_at(s)));
        }
        for (node_index i = end_; i-- > lowest_;) {
            for (std::size_t k = first_.at[i]; k != none && !loaded_.at[i]; k = instances_[k].next) reach_operands(i, instances_[k].place);
        }
        for (node_index i = lowest_; i < end_; ++i) {
            for (std::size_t k = first_.at[i]; k != none; k = instances_[k].next)
                instances_.at[k].result = loaded_.at[i] ? loaded(i, instances_[k].place) : computed(i, instances_[k].place);
        }
        list<node_index> outputs;
        for (std::size_t s = 0; s < loop_.count; ++s) {
            const sink k = sink_at(s);
            const std::size_t place = place_of(k);
            const bool reduces = k.node < g_.size && role_of(g_[k.node].op) == role::reduction;
            node_index out = result_of(k.value, place);
            if (g_[k.value].is(element::boolean))
                out = b_.emit(opcode::where, out, b_.constant(exact(1)), b_.constant(exact(0)));
            if (reduces) out = guarded(out, place, exact(neutral<double>(keeping_of(g_[k.node].op))));
            outputs.push_back(out);
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
        if (r != role::elementwise && !plan_.shifted[i]) return r != role::constant;
        if (!plan_.stored[i]) return false;
        bool number = true;
        for (unsigned k = 0; k < g_[i].rank; ++k) number = number && plan_.size_of[i][k] == 0;
        return plan_.time[i] < loop_.time || (number && loop_.space.rank != 0);
    }
    /// A node is computed once for each place that it is wanted at.
    struct instance {
        std::size_t place = 0;
        node_index result = no_node;
        std::size_t next = none;
    };
    static constexpr std::size_t none = 0; // (the first is nobody's)

    [[nodiscard]] constexpr std::size_t instance_of(node_index i, std::size_t place) const {
        std::size_t k = first_[i];
        while (k != none && instances_[k].place != place) k = instances_[k].next;
        return k;
    }
    [[nodiscard]] constexpr node_index result_of(node_index i, std::size_t place) const {
        const std::size_t k = instance_of(i, place);
        if (k == none) throw value_error("[dyad] loop: a value that was not asked for");
        return instances_[k].result;
    }
    constexpr void need(node_index i, std::size_t place) {
        if (instance_of(i, place) != none) return;
        if (first_.at[i] == none) loaded_.at[i] = is_loaded(i);
        if (i < lowest_) lowest_ = i;
        if (i >= end_) end_ = i + 1;
        instances_.push_back({place, no_node, first_.at[i]});
        first_.at[i] = instances_.size() - 1;
    }
    /// The place of the operand of shift u, where u itself is at `place`.
    constexpr std::size_t shifted_place(node_index u, std::size_t place) {
        placement p = result_.places[place];
        for (unsigned a = 0; a < max_rank; ++a) {
            if (axes_[u].of[a] != axis_of(g_[u].bits)) continue;
            p.shift[a] += decode_slice(g_[u].bits).start;
            p.within[a] = u;
        }
        return number_of_place(p);
    }
    constexpr std::size_t number_of_place(const placement& p) {
        std::size_t k = 0;
        while (k < result_.places.size() && !(result_.places[k] == p)) ++k;
        if (k == result_.places.size()) result_.places.push_back(p);
        return k;
    }
    constexpr std::size_t place_of(const sink& s) {
        std::size_t place = 0;
        if (s.through == no_node) return place;
        for (node_index u = s.through;; u = g_[u].operand[0]) {
            axes_.at[u] = whole(u);
            place = shifted_place(u, place);
            if (same_space(g_[u].operand[0], s.value)) return place;
        }
    }
    [[nodiscard]] constexpr bool same_space(node_index i, node_index j) const {
        unsigned k = 0, l = 0;
        for (;; ++k, ++l) {
            while (k < g_[i].rank && plan_.size_of[i][k] == 0) ++k;
            while (l < g_[j].rank && plan_.size_of[j][l] == 0) ++l;
            if (k == g_[i].rank || l == g_[j].rank) return k == g_[i].rank && l == g_[j].rank;
            if (plan_.size_of[i][k] != plan_.size_of[j][l]) return false;
        }
    }

    constexpr void reach_operands(node_index i, std::size_t place) {
        const std::size_t at = plan_.shifted[i] ? shifted_place(i, place) : place;
        for (int k = 0; k < operands_read(g_[i]); ++k) {
            const node_index x = g_[i].operand[k];
            need(x, at);
            for (std::uint8_t a = 0; a < max_rank; ++a) {
                const std::uint8_t axis = axes_.at[i].of[a];
                const bool walks = axis < g_[x].rank && plan_.size_of[x][axis] != 0;
                axes_.at[x].of[a] = walks ? axis : axis_map::none;
            }
        }
    }
    constexpr std::uint32_t number_of(const load& l) {
        std::uint32_t number = 0;
        while (number < result_.loads.size() && !(result_.loads.at[number] == l)) ++number;
        if (number == result_.loads.size()) result_.loads.push_back(l);
        return number;
    }
    /// `value` where the place has elements, `other` around them.
    constexpr node_index guarded(node_index value, std::size_t place, exact other) {
        if (place == 0) return value;
        const std::uint32_t number = number_of({no_node, {}, place, {}}); // the bodies for inside and anywhere number alike
        if (extent_ == extent_of_body::inside) return value;
        return b_.emit(opcode::where, b_.input(number, element::boolean), value, b_.constant(other));
    }
    /// x[start:] is x, further on: so that slices which lie shifted against each other are loads of one array.
    constexpr bool skip_slice(const node& n, load& l) const {
        const slice_range s = decode_slice(n.bits);
        if (!n.is(opcode::slice) || s.step != 1 || s.start < 0) return false;
        for (unsigned a = 0; a < max_rank; ++a) {
            if (l.axes.of[a] != s.axis) continue;
            l.skipped[a] += s.start;
            l.node = n.operand[0];
            return true;
        }
        return false;
    }
    /// What lies in the loop as the loop runs is there at every element, whatever part of it was asked for.
    constexpr void settle(load& l) {
        placement p = result_.places[l.place];
        for (unsigned a = 0; a < loop_.space.rank; ++a) {
            const std::uint8_t axis = l.axes.of[a];
            if (axis == axis_map::none || p.shift[a] != l.skipped[a] || plan_.size_of[l.node][axis] != loop_.space.size[a]) continue;
            p.shift[a] = l.skipped[a] = 0;
            p.within[a] = no_node;
        }
        l.place = number_of_place(p);
    }
    /// An input of the body; views that only add or drop axes of size 1 are their operand.
    constexpr node_index loaded(node_index i, std::size_t place) {
        load l{i, axes_.at[i], place, {}};
        for (;;) {
            const node& n = g_[l.node];
            const unsigned axes = axes_of(n.bits);
            if (place != 0 && skip_slice(n, l)) continue;
            if (!n.is(opcode::expand) && !n.is(opcode::squeeze)) break;
            for (std::uint8_t& axis : l.axes.of) {
                if (axis == axis_map::none) continue;
                unsigned to = 0;
                if (n.is(opcode::expand)) {
                    for (unsigned k = 0; k < axis; ++k) to += (axes >> k & 1) == 0 ? 1 : 0;
                } else {
                    for (unsigned left = axis; (axes >> to & 1) != 0 || left-- > 0;) ++to;
                }
                axis = static_cast<std::uint8_t>(to);
            }
            l.node = n.operand[0];
        }
        if (g_[l.node].is(opcode::constant)) return b_.add(g_[l.node]);
        if (l.axes == axis_map{}) l.place = 0; // the same for all
        if (l.place != 0) settle(l);
        return b_.input(number_of(l), g_[i].type);
    }
    constexpr node_index computed(node_index i, std::size_t place) {
        node n = g_[i];
        if (n.is(opcode::constant)) return b_.add(n);
        if (plan_.shifted[i]) {
            const std::size_t at = shifted_place(i, place);
            return guarded(result_of(n.operand[0], at), at, exact(0));
        }
        const auto operand = [&](int k) { return result_of(n.operand[k], place); };
        if (n.is(opcode::broadcast_like) || n.is(opcode::fill) || n.is(opcode::fill_like)) return operand(0);
        for (int k = 0; k < n.arity(); ++k) n.operand[k] = operand(k);
        set_shape(n, {});
        return b_.emit(n);
    }

    graph_view g_;
    const Plan& plan_;
    const loop_plan& loop_;
    extent_of_body extent_;
    builder b_;
    list<axis_map> axes_;
    list<instance> instances_{instance{}};
    list<std::size_t> first_;                 ///< by node: its first instance
    list<bool> loaded_;                       ///< by node that has one: its value comes from memory
    node_index lowest_ = no_node, end_ = 0;   ///< where the nodes that have some lie: a loop is a small part of a graph
    loop_code result_;
};

} // namespace dyad
