// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Which programs are uniform: all their arrays have the arguments' one shape, element by element, and only numbers are summed
// up; those of one axis may be slices too, that leave out so many elements at the ends, whose gradients lie shifted among zeros.
#pragma once

#include <algorithm>

#include <dyad/array/nest.hpp>
#include <dyad/array/program.hpp>
#include <dyad/base/each_index.hpp>
#include <dyad/pass/equal_sizes.hpp>

namespace dyad {

/// Whether a program is uniform, for arguments of types `Inputs` (an array_reference for each array, a T for each number).
template <class Program, class T, class... Inputs>
struct uniform_program {
    static constexpr const auto& plan = Program::planned;
    static constexpr graph_view graph = Program::graph;
    template <std::size_t L>
    using loop_nest = nest<typename Program::template loop_alike<L>, Program::rewriting == policy::fast, T>;

    template <class X>
    static constexpr unsigned rank_of() {
        if constexpr (referenced<X>) {
            return X::rank;
        } else {
            return 0;
        }
    }

    /// The arrays' number of axes.
    static constexpr unsigned rank = [] {
        unsigned most = 0;
        ((most = rank_of<Inputs>() > most ? rank_of<Inputs>() : most), ...);
        return most;
    }();
    template <class X>
    static constexpr bool is_taken() {
        if constexpr (referenced<X>) {
            return X::rank == rank && std::is_same_v<std::remove_const_t<typename X::element_type>, T>;
        } else {
            return true;
        }
    }
    /// A number, or one as an array of one element.
    static constexpr bool is_number(node_index i) {
        const role r = role_of(graph[i].op);
        if (graph[i].rank == 0) return r == role::constant || r == role::leaf || r == role::elementwise || r == role::reduction;
        return graph[i].is(opcode::expand) && graph[graph[i].operand[0]].rank == 0;
    }
    /// By size, how many elements less than the arguments' it is, by what slices leave out: of the same axis, or of the only one.
    struct size_table {
        bool known[plan.size_count + 1] = {};
        int less[plan.size_count + 1] = {}, most_less = 0;
    };
    static constexpr size_table sizes = [] {
        const list<size_form> forms = forms_of(plan.rules, plan.size_count);
        const auto is_argument_or_less = [](const size_form& f) { return f.known && f.count == 1 && (f.constant == 0 || rank == 1); };
        size_table t;
        for (std::size_t d = 1; d < plan.size_count; ++d) {
            const size_form &size = forms[d], &same = forms[plan.equal[d]];
            t.known[d] = is_argument_or_less(size) && is_argument_or_less(same) && size.terms[0].axis == same.terms[0].axis && size.constant == same.constant;
            t.less[d] = static_cast<int>(-size.constant);
            if (t.known[d]) t.most_less = std::max(t.most_less, t.less[d]);
        }
        return t;
    }();
    /// Whether arguments of one shape have all sizes that the function itself wants equal.
    template <class Function>
    static constexpr bool is_one_shape() {
        using equal = equal_sizes<Function>;
        if (equal::all.others) return false;
        for (std::size_t e = 0; e < equal::count; ++e) {
            const size_form &a = equal::list_of.at[e].first, &b = equal::list_of.at[e].second;
            bool same = a.count == b.count && a.constant == b.constant;
            for (std::size_t t = 0; t < a.count && same; ++t) same = a.terms[t].axis == b.terms[t].axis;
            if (!same) return false;
        }
        return true;
    }
    /// A slice of an array, or its gradient, which loops put among zeros on their way.
    static constexpr bool is_cut(node_index i) {
        const node& n = graph[i];
        if (rank != 1) return false;
        if (n.is(opcode::slice)) return left_out(decode_slice(n.bits)) >= 0 && !is_number(n.operand[0]);
        if (!n.is(opcode::unslice) || !plan.shifted[i]) return false;
        const int out = left_out(decode_slice(n.bits));
        return out >= 0 && graph[n.operand[0]].rank == 1 && less(n.operand[0]) == less(i) + out;
    }
    static constexpr bool is_uniform(node_index i) {
        if (is_number(i)) return true;
        const node& n = graph[i];
        const role r = role_of(n.op);
        if ((r != role::leaf && r != role::elementwise && !is_cut(i)) || n.ones != 0 || n.rank != rank) return false;
        for (unsigned k = 0; k < n.rank; ++k) {
            const dimension size = plan.size_of[i][k];
            if (!sizes.known[size] || (rank > 1 && plan.rules[size].b != k)) return false;
        }
        return plan.host[i] == no_node;
    }
    /// Whether each loop goes through all elements of all arrays where they lie.
    static constexpr bool all_in_place = [] {
        bool all = sizes.most_less == 0;
        for (node_index i = 0; i < graph.size; ++i) all = all && !plan.shifted[i];
        return all;
    }();
    /// How many elements less than the arguments node i has.
    static constexpr int less(node_index i) { return rank == 1 && graph[i].rank == 1 ? sizes.less[plan.size_of[i][0]] : 0; }
    /// Whether the outputs that are gradients, by the arguments of one shape, have that shape: a rule of a custom gradient may give others.
    template <class... Likes>
    static constexpr bool are_like() {
        return []<std::size_t... K>(std::index_sequence<K...>) { return ((!with_sizes<std::remove_cvref_t<Likes>> || less(graph.outputs[K]) == 0) && ...); }(std::index_sequence_for<Likes...>{});
    }
    /// All arrays go along the loop's axes in the same way.
    template <std::size_t L>
    static constexpr bool is_uniform_loop() {
        using code = typename Program::template loop<L>;
        if (code::rank != 0 && code::rank != rank) return false;
        const axis_map none;
        axis_map all;
        const auto walks = [&](const axis_map& m) {
            if (m == none) return true;
            if (all == none) all = m;
            for (unsigned a = 0; a < rank; ++a) {
                if (m.of[a] == axis_map::none) return false;
            }
            return m == all;
        };
        for (std::size_t j = 0; j < code::loads; ++j) {
            if (!walks(code::table.loaded[j].axes)) return false;
        }
        for (std::size_t k = 0; k < code::stores; ++k) {
            const store& s = code::table.kept[k];
            if (!walks(s.axes) || (code::rank != 0 && (s.axes == none) == (is(s.how, opcode::constant)))) return false;
        }
        return true;
    }

    static constexpr bool value = [] {
        if (graph.size == 0 || rank == 0 || !(is_taken<Inputs>() && ...)) return false;
        for (node_index i = 0; i < graph.size; ++i) {
            if (!is_uniform(i)) return false;
        }
        for (std::size_t d = 1; d < plan.size_count; ++d) {
            if (!sizes.known[d]) return false;
        }
        if constexpr (requires { typename Program::source::function; }) {
            if (!is_one_shape<typename Program::source::function>() || !is_one_shape<typename Program::source::with_bodies>()) return false;
        }
        for (std::size_t s = 0; s < plan.step_count; ++s) {
            const plan_step& step = plan.steps[s];
            if (step.kind == plan_step::call || (step.kind == plan_step::view && !is_number(step.index) && !is_cut(step.index))) return false;
        }
        for (std::size_t o = 0; o < graph.output_count; ++o) {
            if (graph[graph.outputs[o]].ones != 0) return false;
        }
        bool all = true;
        for_indices<plan.loop_count>([&]<std::size_t... L>(std::index_sequence<L...>) { all = all && (is_uniform_loop<L>() && ...); });
        return all;
    }();

    /// The operations of a loop at each element.
    template <std::size_t L>
    static constexpr std::size_t work() {
        return Program::template loop<L>::rank == 0 ? 0 : Program::template loop<L>::kernel::size;
    }
    /// Whether arrays of a few vectors stay in registers: each lies where the others do, and there are not too many operations to write
    /// them out for each vector.
    static constexpr bool fits_registers = [] {
        if (!value || !all_in_place) return false;
        for (std::size_t s = 0; s < plan.step_count; ++s) {
            if (plan.steps[s].kind == plan_step::view && !is_number(plan.steps[s].index)) return false;
        }
        for (std::size_t o = 0; o < graph.output_count; ++o) {
            if (graph[graph.outputs[o]].rank != 0 && is_number(graph.outputs[o])) return false;
        }
        std::size_t all = 0;
        for_indices<plan.loop_count>([&]<std::size_t... L>(std::index_sequence<L...>) { ((all += work<L>()), ...); });
        return all <= 64;
    }();
};

} // namespace dyad
