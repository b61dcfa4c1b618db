// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A planned loop over the arrays of a device, as kernels: a map where all lies side by side, a loop kernel elsewhere; one for each group
// of outputs.
#pragma once

#include <dyad/device/loops.hpp>
#include <dyad/device/number_results.hpp>

namespace dyad::device {

template <class Program, class T, class Outputs, class... Inputs>
class loop_execution : public number_results<Program, T, Outputs, Inputs...> {
    using base = number_results<Program, T, Outputs, Inputs...>;

public:
    static constexpr const auto& plan = Program::planned;
    static constexpr graph_view graph = Program::graph;
    using base::base, base::is_given;
    template <node_index Item>
    using element_of = typename base::template element_of<Item>;
    template <node_index Item>
    using element_of_store = typename base::template element_of_store<Item>;
    template <std::size_t L>
    using parts_of_loop = loop_parts<base, L>;

protected:
    template <std::size_t L>
    [[nodiscard]] std::size_t elements() const {
        std::size_t count = 1;
        for (unsigned a = 0; a != Program::template loop<L>::rank; ++a) count *= this->size_[plan.loops[L].space.size[a]];
        return count;
    }
    template <std::size_t L>
    [[nodiscard]] geometry geometry_of(std::size_t group) const {
        using of = parts_of_loop<L>;
        constexpr unsigned rank = of::code::rank;
        const unsigned mask = of::facts::groups.mask[group];
        const bool inner = rank > 0 && (mask & 1U << (rank == 0 ? 0 : rank - 1)) != 0;
        std::size_t outputs = 1, length = 1;
        for (unsigned a = 0; a != rank; ++a) ((mask >> a & 1) != 0 ? length : outputs) *= this->size_[plan.loops[L].space.size[a]];
        return cut(outputs, length, inner);
    }
    /// How many partial results loop L leaves.
    template <std::size_t L>
    [[nodiscard]] std::size_t sums_of_loop() const {
        using of = parts_of_loop<L>;
        std::size_t most = 0;
        this->refuse_empty_extrema(of::code::table.kept, of::code::stores);
        for (std::size_t group = 0; group != of::facts::groups.count; ++group) {
            const geometry g = geometry_of<L>(group);
            std::size_t count = g.outputs * g.chunks;
            if constexpr (of::can_map) {
                const std::size_t blocks = map_blocks(elements<L>(), block_threads, block_threads, true);
                count = blocks > count ? blocks : count;
            }
            if (of::facts::groups.mask[group] != 0 || of::can_map) most = count > most ? count : most;
        }
        return most * (of::code::stores + 1);
    }
    /// `is_last`: no kernel comes after this loop's.
    template <std::size_t L>
    void run_loop_of_plan(bool is_last) {
        constexpr std::size_t groups = parts_of_loop<L>::facts::groups.count;
        for_indices<groups>([&]<std::size_t... G>(std::index_sequence<G...>) { (this->template run_group<L, G>(is_last && G + 1 == groups), ...); });
    }
    [[nodiscard]] void* memory_of_store(node_index i) const { return i < graph.size ? const_cast<void*>(this->data_[plan.slot[i]]) : this->output_[i - graph.size]; }
    template <class Code, class Arguments>
    void set_inputs(Arguments& a) const {
        for_indices<Code::loads>([&]<std::size_t... J>(std::index_sequence<J...>) { (this->template set_input<Code, J>(a), ...); });
    }
    template <class Code, std::size_t J, class Arguments>
    void set_input(Arguments& a) const {
        constexpr load l = Code::table.loaded[J];
        a.in[J] = nullptr;
        a.number[J] = T(0);
        if constexpr (l.node != no_node) {
            if constexpr (is_given(l.node)) {
                a.number[J] = static_cast<T>(*static_cast<const T*>(this->data_[plan.slot[l.node]]));
            } else {
                constexpr placement p = Code::table.placed[l.place];
                std::ptrdiff_t before = 0;
                for (unsigned k = 0; k != Code::rank; ++k) {
                    if (l.axes.of[k] != axis_map::none) before += (p.shift[k] - l.skipped[k]) * this->stride_[plan.slot[l.node]][l.axes.of[k]];
                }
                const auto bytes = static_cast<std::uintptr_t>(before * static_cast<std::ptrdiff_t>(sizeof(element_of<l.node>)));
                a.in[J] = reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(this->data_[plan.slot[l.node]]) - bytes);
            }
        }
    }
    /// The step along axis a of a loop as its output k has it.
    template <class Code>
    [[nodiscard]] std::ptrdiff_t step_of_store(std::size_t k, unsigned a) const {
        const store& s = Code::table.kept[k];
        if (s.axes.of[a] == axis_map::none) return 0;
        if (s.node < graph.size) return this->stride_[plan.slot[s.node]][s.axes.of[a]];
        const node_index i = graph.outputs[s.node - graph.size];
        std::ptrdiff_t step = 1;
        for (unsigned before = 0; before < s.axes.of[a] && before < max_rank; ++before) // (g++ 12 warns without the second bound)
            step *= static_cast<std::ptrdiff_t>(this->size_[plan.size_of[i][before]]);
        return step;
    }

private:
    template <std::size_t L, std::size_t G>
    void run_group(bool is_last) {
        using of = parts_of_loop<L>;
        if constexpr (of::can_map) {
            if (lies_flat<L>()) return run_as_map<L, G>(is_last);
        }
        if constexpr (of::code::rank > 0) run_as_loop<L, G>(is_last);
    }
    /// Whether, with the sizes as they are, all arrays lie side by side in the loop's order, aligned.
    template <std::size_t L>
    [[nodiscard]] bool lies_flat() const {
        using of = parts_of_loop<L>;
        using code = typename of::code;
        bool flat = true;
        const auto look = [&](const void* data, const auto& step) {
            flat = flat && reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
            std::ptrdiff_t expected = 1;
            for (unsigned k = code::rank; k-- > 0;) {
                const std::size_t size = this->size_[plan.loops[L].space.size[k]];
                flat = flat && (size == 1 || step(k) == expected);
                expected *= static_cast<std::ptrdiff_t>(size);
            }
        };
        for_indices<code::loads>([&]<std::size_t... J>(std::index_sequence<J...>) {
            const auto look_at = [&](bool walks, const load& l) {
                if (walks) look(this->data_[plan.slot[l.node]], [&](unsigned k) { return this->stride_[plan.slot[l.node]][l.axes.of[k]]; });
            };
            (look_at(is_walking<typename part_at<J, typename of::in>::type>, code::table.loaded[J]), ...);
        });
        for (std::size_t k = 0; k != code::stores && code::rank > 0; ++k) {
            if (!of::facts::accumulates(k)) look(memory_of_store(code::table.kept[k].node), [&](unsigned a) { return step_of_store<code>(k, a); });
        }
        return flat;
    }
    template <std::size_t L, std::size_t G>
    void run_as_map(bool is_last) {
        using of = parts_of_loop<L>;
        using code = typename of::code;
        map_arguments<T, code::loads, code::stores> a{};
        a.count = elements<L>();
        a.partial = this->partial_;
        set_inputs<code>(a);
        for (std::size_t k = 0; k != code::stores; ++k) a.out[k] = memory_of_store(code::table.kept[k].node);
        run_map_of<typename of::source, of::overwrites>(of::in_parts(), of::template out_parts<G>(), a, [&](auto part, const finish_arguments<T>& f) { this->finish(part, f, is_last); });
    }
    template <std::size_t L, std::size_t G>
    void run_as_loop(bool is_last) {
        using of = parts_of_loop<L>;
        using code = typename of::code;
        constexpr unsigned rank = code::rank, mask = of::facts::groups.mask[G];
        loop_arguments<T, rank, code::loads, code::stores, code::places> a{};
        const geometry g = geometry_of<L>(G);
        if (g.outputs == 0 || (mask == 0 && g.length == 0)) return;
        set_geometry(a, g, this->partial_);
        unsigned order[rank], next = 0;
        for (unsigned pass = 0; pass < 2; ++pass) {
            for (unsigned k = 0; k < rank; ++k) {
                if ((mask >> k & 1) == pass) order[next++] = k;
            }
            if (pass == 0) a.kept = next;
        }
        for (unsigned k = 0; k < rank; ++k) a.size[k] = this->size_[plan.loops[L].space.size[order[k]]];
        set_inputs<code>(a);
        for (std::size_t j = 0; j != code::loads; ++j) {
            const load& l = code::table.loaded[j];
            for (unsigned k = 0; k < rank; ++k) a.in_step[j][k] = l.axes.of[order[k]] == axis_map::none ? 0 : this->stride_[plan.slot[l.node]][l.axes.of[order[k]]];
        }
        for (std::size_t s = 0; s != code::stores; ++s) {
            a.out[s] = memory_of_store(code::table.kept[s].node);
            for (unsigned k = 0; k < rank; ++k) a.out_step[s][k] = step_of_store<code>(s, order[k]);
        }
        for (std::size_t p = 0; p < code::places; ++p) {
            for (unsigned k = 0; k < rank; ++k) set_range<L>(a, p, k, order[k]);
        }
        run_and_finish(words_of<typename of::source>(), of::in_parts(), of::template out_parts<G>(), a, [&](auto part, const finish_arguments<T>& f) { this->finish(part, f, is_last); });
    }
    /// The elements along axis `axis` of loop L that placement p has.
    template <std::size_t L, class Arguments>
    void set_range(Arguments& a, std::size_t p, unsigned k, unsigned axis) const {
        const placement& placed = Program::template loop<L>::table.placed[p];
        const std::size_t size = this->size_[plan.loops[L].space.size[axis]];
        a.first[p][k] = 0;
        a.last[p][k] = static_cast<std::ptrdiff_t>(size);
        if (placed.within[axis] == no_node) return;
        const node& shift = graph[placed.within[axis]];
        const slice_range s = decode_slice(shift.bits);
        const std::size_t whole = this->size_[plan.size_of[placed.within[axis]][axis_of(shift.bits)]];
        const std::size_t count = shift.is(opcode::unslice) ? routine::resolve(s, whole).count : whole - static_cast<std::size_t>(s.start + s.stop);
        a.first[p][k] = placed.shift[axis];
        a.last[p][k] = placed.shift[axis] + static_cast<std::ptrdiff_t>(count);
    }
};

} // namespace dyad::device
