// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Runs a program of arrays: goes through the plan's steps.
#pragma once

#include <array>

#include <dyad/array/calls.hpp>
#include <dyad/array/nest.hpp>
#include <dyad/array/region_calls.hpp>

namespace dyad {

template <class Program, class T, class... Inputs>
class execution : public region_calls<storage<Program, T, Inputs...>, rounds_on_host> {
    using base = region_calls<storage<Program, T, Inputs...>, rounds_on_host>;

public:
    static constexpr const auto& plan = Program::planned;
    static constexpr graph_view graph = Program::graph;
    using base::base;

    /// Computes; output number k of more than no axes goes to output[k], contiguous memory of its size.
    DYAD_INLINE void run(T* const* output) {
        for_indices<plan.kept_nodes>([&]<std::size_t... Item>(std::index_sequence<Item...>) { (this->template place_memory<plan.kept[Item]>(output), ...); });
        output_ = output;
        for_indices<plan.step_count>([&]<std::size_t... Item>(std::index_sequence<Item...>) { (step<Item>(), ...); });
    }

private:
    template <node_index Item>
    using element_of_node = typename base::template element_of_node<Item>;

    template <std::size_t Step>
    DYAD_INLINE void step() {
        constexpr plan_step s = plan.steps[Step];
        if constexpr (s.kind == plan_step::view) this->template make_view<s.index>();
        if constexpr (s.kind == plan_step::loop) {
            using code = typename Program::template loop<s.index>;
            run_loop<s.index>(std::make_index_sequence<code::loads>{}, std::make_index_sequence<code::stores>{}, std::make_index_sequence<code::places>{});
        }
        if constexpr (s.kind == plan_step::call) {
            const auto operand = [&]<int K>() {
                constexpr node_index x = graph[s.index].operand[K];
                if constexpr (graph[x].is(opcode::constant)) {
                    return constant_value(graph[x]).template as<T>();
                } else {
                    return this->template reference<x>();
                }
            };
            if constexpr (graph[s.index].is(opcode::call)) {
                this->template run_call<s.index>();
            } else if constexpr (plan.guest[s.index] != no_node) {
                fill_around(graph[s.index].bits, operand.template operator()<0>(), this->template target<s.index>());
            } else if constexpr (shared.group[s.index] != shared.none) {
                constexpr node_index matrix = shared.matrix[s.index];
                const auto a = this->template reference<matrix>();
                factors<T>& f = factors_[shared.group[s.index]];
                if (first_with_factors<s.index>()) f = factorised<graph[s.index].op, T>(a, true, this->frame_);
                call_with_factors<graph[s.index].op>(f, a.size[1], a.size[0], shared.turned[s.index], operand, this->template target<s.index>());
            } else {
                call<graph[s.index].op>(graph[s.index].bits, operand, this->template target<s.index>());
            }
        }
    }
    /// Whether node i is computed before the others that factorise the same matrix.
    template <node_index Item>
    static constexpr bool first_with_factors() {
        for (std::size_t s = 0; s < plan.step_count; ++s) {
            const plan_step& step = plan.steps[s];
            if (step.kind == plan_step::call && shared.group[step.index] == shared.group[Item]) return step.index == Item;
        }
        return true;
    }

    template <std::size_t L>
    using loop_nest = nest<typename Program::template loop_alike<L>, Program::rewriting == policy::fast, T>;
    /// Its inputs, outputs and placements are J, K and P.
    template <std::size_t L, std::size_t... J, std::size_t... K, std::size_t... P>
    DYAD_INLINE void run_loop(std::index_sequence<J...> inputs, std::index_sequence<K...> outputs, std::index_sequence<P...> places) {
        using code = typename Program::template loop<L>;
        this->refuse_empty_extrema(code::table.kept, code::stores);
        if constexpr (code::rank == 0) {
            const T x[] = {static_cast<T>(*static_cast<const element_of_load<code, J>*>(memory_of_load<code, J>()))..., T(0)};
            const std::array<T, sizeof...(K)> y = Program::template loop_alike<L>::kernel::template run<T>(x);
            ((*memory_of_store(code::table.kept[K].node) = y[K]), ...);
        } else {
            if constexpr (code::rank == 1) {
                using general = loop_nest<L>;
                constexpr bool same_type = (std::is_same_v<element_of_load<code, J>, T> && ...);
                const auto stride = [&](std::size_t j) { return this->stride_[plan.slot[code::table.loaded[j].node]][code::table.loaded[j].axes.of[0]]; };
                const std::size_t n = this->size_[plan.loops[L].space.size[0]];
                if (general::is_short(n, same_type, stride)) {
                    const T* const from[] = {alone(static_cast<const T*>(memory_of_load<code, J>()))..., nullptr};
                    T* const to[] = {alone(memory_of_store(code::table.kept[K].node))...};
                    const element_range has[] = {range_of<L, P>(0)...};
                    return general::run_short(n, from, to, has);
                }
            }
            run_nest<L>(inputs, outputs, places);
        }
    }
    /// The elements along axis a of loop L that its placement P has.
    template <std::size_t L, std::size_t P>
    [[nodiscard]] DYAD_INLINE element_range range_of(unsigned a) const {
        constexpr placement p = Program::template loop<L>::table.placed[P];
        const std::size_t size = this->size_[plan.loops[L].space.size[a]];
        if (p.within[a] == no_node) return {0, static_cast<std::ptrdiff_t>(size)};
        const node& shift = graph[p.within[a]];
        const slice_range s = decode_slice(shift.bits);
        const std::size_t whole = this->size_[plan.size_of[p.within[a]][axis_of(shift.bits)]];
        const std::size_t count = shift.is(opcode::unslice) ? routine::resolve(s, whole).count : whole - static_cast<std::size_t>(s.start + s.stop);
        return {p.shift[a], p.shift[a] + static_cast<std::ptrdiff_t>(count)};
    }
    template <class Code, std::size_t J>
    static constexpr bool is_mask = Code::table.loaded[J].node == no_node;
    template <class Code, std::size_t J>
    using element_of_load = typename base::template element_at<is_mask<Code, J> ? no_node : Code::table.loaded[J].node>::type;
    /// Where element 0 of a loop's input is, or would be.
    template <class Code, std::size_t J>
    [[nodiscard]] DYAD_INLINE const void* memory_of_load() const {
        if constexpr (is_mask<Code, J>) {
            return nullptr;
        } else {
            constexpr load l = Code::table.loaded[J];
            const void* const data = this->data_[plan.slot[l.node]];
            constexpr placement p = Code::table.placed[l.place];
            std::ptrdiff_t before = 0;
            for (unsigned a = 0; a < Code::rank; ++a) {
                if (l.axes.of[a] != axis_map::none) before += (p.shift[a] - l.skipped[a]) * this->stride_[plan.slot[l.node]][l.axes.of[a]];
            }
            return element_before<element_of_load<Code, J>>(data, before);
        }
    }
    /// Where a loop puts what it delivers: a copy for an output, if it is no node; numbers are read where they lie.
    [[nodiscard]] DYAD_INLINE T* memory_of_store(node_index i) const {
        return i < graph.size ? const_cast<T*>(static_cast<const T*>(this->data_[plan.slot[i]])) : output_[i - graph.size];
    }

    template <std::size_t L, std::size_t... J, std::size_t... K, std::size_t... P>
    void run_nest(std::index_sequence<J...>, std::index_sequence<K...>, std::index_sequence<P...>) {
        loop_nest<L> run;
        for (unsigned a = 0; a < run.rank; ++a) {
            run.size[a] = this->size_[plan.loops[L].space.size[a]];
            ((run.range[P][a] = range_of<L, P>(a)), ...);
        }
        using code = typename Program::template loop<L>;
        (set_input<code, J>(run), ...);
        (set_output<code, K>(run), ...);
        run.run();
    }
    template <class Code, std::size_t J, class Nest>
    void set_input(Nest& run) const {
        constexpr load l = Code::table.loaded[J];
        run.in[J] = memory_of_load<Code, J>();
        run.template set_element<element_of_load<Code, J>>(J);
        for (unsigned a = 0; a < Code::rank; ++a) run.in_stride[J][a] = l.axes.of[a] == axis_map::none ? 0 : this->stride_[plan.slot[l.node]][l.axes.of[a]];
    }
    template <class Code, std::size_t K, class Nest>
    void set_output(Nest& run) {
        constexpr store s = Code::table.kept[K];
        run.out[K] = memory_of_store(s.node);
        std::ptrdiff_t step[max_rank] = {1};
        if constexpr (s.node < graph.size) {
            for (unsigned k = 0; k < graph[s.node].rank; ++k) step[k] = this->stride_[plan.slot[s.node]][k];
            run.out_count[K] = this->count_of(s.node);
        } else { // the copy for an output
            constexpr node_index i = graph.outputs[s.node - graph.size];
            for (unsigned k = 1; k < max_rank; ++k) step[k] = step[k - 1] * static_cast<std::ptrdiff_t>(this->size_[plan.size_of[i][k - 1]]);
        }
        for (unsigned a = 0; a < Code::rank; ++a) run.out_stride[K][a] = s.axes.of[a] == axis_map::none ? 0 : step[s.axes.of[a]];
    }

    static constexpr shared_factors<graph.size> shared{graph};
    std::array<factors<T>, shared.count> factors_;
    T* const* output_ = nullptr;
};

} // namespace dyad
