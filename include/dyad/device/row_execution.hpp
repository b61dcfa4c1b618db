// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Several steps of a plan as one row kernel, where the rows are short enough for registers.
#pragma once

#include <algorithm>

#include <dyad/device/loop_execution.hpp>
#include <dyad/device/row_grid.hpp>
#include <dyad/device/row_plan.hpp>

namespace dyad::device {

template <class Program, class T, class Outputs, class... Inputs>
class row_execution : public loop_execution<Program, T, Outputs, Inputs...> {
    using base = loop_execution<Program, T, Outputs, Inputs...>;
    using arranged = arrangement<Program, T, Outputs, Inputs...>;

public:
    static constexpr const auto& plan = Program::planned;
    using base::base;

protected:
    using planned_rows = row_plan<arranged>;
    using group = typename planned_rows::group;

    /// Whether group G can run: with the sizes as they are, a block has the threads for a row.
    template <std::size_t G>
    [[nodiscard]] bool fits_rows() const {
        constexpr const group& g = planned_rows::groups.of[G];
        const std::size_t length = length_of<G>();
        return rows_of<G>() > 0 && length > 0 && length <= block_threads * row_elements(g.arrays);
    }
    /// How many partial results group G leaves.
    template <std::size_t G>
    [[nodiscard]] std::size_t sums_of_rows() const {
        return fits_rows<G>() ? planned_rows::groups.of[G].totals * most_sums : 0;
    }
    /// `is_last`: no kernel comes after this one.
    template <std::size_t G>
    void run_group_of_rows(bool is_last) {
        constexpr const group& g = planned_rows::groups.of[G];
        row_arguments<T, rank_of<G> - 1, g.arrays, g.rows, g.numbers, g.totals> a{};
        for (unsigned k = 0; k + 1 < rank_of<G>; ++k) a.size[k] = size_along<G>(k);
        a.rows = rows_of<G>();
        a.length = static_cast<unsigned>(length_of<G>());
        a.partial = this->partial_;
        for (std::size_t s = 0; s != g.arrays; ++s) set_operand<G>(g.array[s], a.array[s], a.array_step[s], rank_of<G>);
        for (std::size_t r = 0; r != g.rows; ++r) set_operand<G>(g.row[r], a.row[r], a.row_step[r], rank_of<G> - 1);
        for (std::size_t n = 0; n != g.numbers; ++n) set_number(g.number[n].node, a.number[n], a.lasting[n]);
        for (std::size_t k = 0; k != g.totals; ++k) a.total[k] = this->memory_of_store(g.total[k].node);
        while (std::size_t{1} << a.shift < (a.length + row_elements(g.arrays) - 1) / row_elements(g.arrays)) ++a.shift;
        a.block_shift = a.shift;
        while (1U << a.block_shift < smallest_block) ++a.block_shift; // (no larger: the rows of a block wait for each other)
        a.blocks = map_blocks(a.rows, std::size_t{1} << (a.block_shift - a.shift), 1U << a.block_shift, g.totals > 0);
        if (lies_in_accesses<G>(a)) {
            launch_rows<G>(std::integral_constant<std::size_t, width_of<G>>{}, a);
        } else {
            launch_rows<G>(std::integral_constant<std::size_t, 1>{}, a);
        }
        for_indices<g.totals>([&]<std::size_t... K>(std::index_sequence<K...>) {
            (this->finish(row_execution::template total_part<G, K>(), finish_arguments<T>{a.partial + K * a.blocks, a.total[K], 1, a.blocks, 1}, is_last), ...);
        });
    }

private:
    template <std::size_t G>
    static constexpr const loop_plan& first_loop = plan.loops[plan.steps[planned_rows::groups.of[G].first].index];
    template <std::size_t G>
    static constexpr unsigned rank_of = first_loop<G>.space.rank;
    template <std::size_t G>
    [[nodiscard]] std::size_t size_along(unsigned a) const {
        return this->size_[first_loop<G>.space.size[a]];
    }
    template <std::size_t G>
    [[nodiscard]] std::size_t length_of() const {
        return size_along<G>(rank_of<G> - 1);
    }
    template <std::size_t G>
    [[nodiscard]] std::size_t rows_of() const {
        std::size_t count = 1;
        for (unsigned k = 0; k + 1 < rank_of<G>; ++k) count *= size_along<G>(k);
        return count;
    }

    /// Number K of the arrays, numbers of the row, numbers or totals of group G. (No template argument: nvcc takes no class that holds an array.)
    template <std::size_t G, row_place P>
    static constexpr const row_operand& operand(std::size_t k) {
        constexpr const group& g = planned_rows::groups.of[G];
        return P == row_place::array ? g.array[k] : P == row_place::row ? g.row[k] : P == row_place::number ? g.number[k] : g.total[k];
    }
    /// Where it lies, and its steps along the first `axes` axes of the loop.
    template <std::size_t G>
    void set_operand(const row_operand& x, void*& memory, std::ptrdiff_t* step, unsigned axes) const {
        if (!x.computed) {
            memory = const_cast<void*>(this->data_[plan.slot[x.node]]);
            for (unsigned k = 0; k < axes; ++k) step[k] = x.axes.of[k] == axis_map::none ? 0 : this->stride_[plan.slot[x.node]][x.axes.of[k]];
        } else if (x.stored) {
            memory = this->memory_of_store(x.node);
            for (unsigned k = 0; k < axes; ++k) step[k] = step_of_stage<G>(x, k, std::make_index_sequence<planned_rows::groups.of[G].stages>{});
        }
    }
    /// The step along axis a as the loop has it whose output the operand is.
    template <std::size_t G, std::size_t... S>
    [[nodiscard]] std::ptrdiff_t step_of_stage(const row_operand& x, unsigned a, std::index_sequence<S...>) const {
        std::ptrdiff_t step = 0;
        static_cast<void>(((x.stage == S ? (step = this->template step_of_store<typename Program::template loop<planned_rows::groups.of[G].loop[S]>>(x.index, a), true) : false) || ...));
        return step;
    }
    void set_number(node_index i, T& number, const void*& lasting) const {
        if (base::is_given(i)) {
            number = static_cast<T>(*static_cast<const T*>(this->data_[plan.slot[i]]));
        } else {
            lasting = this->data_[plan.slot[i]];
        }
    }

    // Types

    template <std::size_t G, row_place P, std::size_t K>
    static constexpr auto value_part() {
        constexpr row_operand x = operand<G, P>(K);
        if constexpr (!x.computed) {
            return row_value<walking<typename base::template element_of<x.node>>, left_out>{};
        } else if constexpr (x.stored) {
            return row_value<left_out, stored_as<typename base::template element_of_store<x.node>>>{};
        } else {
            return row_value<left_out, left_out>{};
        }
    }
    template <std::size_t G, std::size_t N>
    static constexpr auto number_part() {
        constexpr node_index i = operand<G, row_place::number>(N).node;
        if constexpr (base::is_given(i)) {
            return given{};
        } else {
            return lasting<typename base::template element_of<i>>{};
        }
    }
    /// How output number k of a group's stage is kept.
    template <std::size_t G, std::size_t S, std::size_t K>
    static constexpr keeping how_kept = keeping_of(Program::template loop<planned_rows::groups.of[G].loop[S]>::table.kept[K].how);
    template <std::size_t G, std::size_t K>
    static constexpr auto total_part() {
        constexpr row_operand x = planned_rows::groups.of[G].total[K];
        return accumulated<how_kept<G, x.stage, x.index>, typename base::template element_of_store<x.node>>{};
    }
    template <std::size_t G, std::size_t S, std::size_t J>
    static constexpr auto input_part() {
        constexpr row_entry x = planned_rows::groups.of[G].in[S][J];
        if constexpr (x.place == row_place::array) return held_array<x.number>{};
        if constexpr (x.place == row_place::row) return row_number<x.number>{};
        if constexpr (x.place == row_place::number) return lasting_number<x.number>{};
    }
    template <std::size_t G, std::size_t S, std::size_t K>
    static constexpr auto output_part() {
        constexpr row_entry x = planned_rows::groups.of[G].out[S][K];
        if constexpr (x.place == row_place::array) return kept_array<x.number>{};
        if constexpr (x.place == row_place::row) return kept_row<x.number, how_kept<G, S, K>>{};
        if constexpr (x.place == row_place::total) return kept_total<x.number, how_kept<G, S, K>>{};
    }
    template <bool Full, class Words, class... In, class... Out>
    static constexpr auto stage_of(Words, parts<In...>, parts<Out...>) {
        return row_stage<Full, Words, parts<In...>, parts<Out...>>{};
    }
    template <std::size_t G, std::size_t S, std::size_t... J, std::size_t... K>
    static constexpr auto stage_part(std::index_sequence<J...>, std::index_sequence<K...>) {
        constexpr std::size_t loop = planned_rows::groups.of[G].loop[S];
        return stage_of<plan.loops[loop].space.rank == rank_of<G>>(words_of<typename base::template parts_of_loop<loop>::source>(), parts_of(input_part<G, S, J>()...),
                                                                  parts_of(output_part<G, S, K>()...));
    }
    template <std::size_t G, std::size_t S>
    static constexpr auto stage_part() {
        using code = typename Program::template loop<planned_rows::groups.of[G].loop[S]>;
        return stage_part<G, S>(std::make_index_sequence<code::loads>{}, std::make_index_sequence<code::stores>{});
    }
    template <std::size_t G, class F>
    static constexpr auto with_parts(const F& f) {
        constexpr const group& g = planned_rows::groups.of[G];
        return [&]<std::size_t... S, std::size_t... R, std::size_t... N, std::size_t... K, std::size_t... Item>(std::index_sequence<S...>, std::index_sequence<R...>, std::index_sequence<N...>,
                                                                                                             std::index_sequence<K...>, std::index_sequence<Item...>) {
            return f(parts_of(value_part<G, row_place::array, S>()...), parts_of(value_part<G, row_place::row, R>()...), parts_of(number_part<G, N>()...), parts_of(total_part<G, K>()...),
                     parts_of(stage_part<G, Item>()...));
        }(std::make_index_sequence<g.arrays>{}, std::make_index_sequence<g.rows>{}, std::make_index_sequence<g.numbers>{}, std::make_index_sequence<g.totals>{},
               std::make_index_sequence<g.stages>{});
    }

    // Accesses

    template <class Value>
    struct bytes_of_value;
    template <class In, class Out>
    struct bytes_of_value<row_value<In, Out>> {
        static constexpr std::size_t value = bytes_of<In> + bytes_of<Out>; // (one of them is 0)
    };
    template <class... Value>
    static constexpr std::size_t width_for(parts<Value...>) {
        return std::min(access_width({bytes_of_value<Value>::value...}), row_elements(sizeof...(Value)));
    }
    template <std::size_t G>
    static constexpr std::size_t width_of = with_parts<G>([](auto arrays, auto...) { return row_execution::width_for(arrays); });

    /// Whether every row of every array begins with a whole access and consists of such.
    template <std::size_t G, class Arguments>
    [[nodiscard]] bool lies_in_accesses(const Arguments& a) const {
        constexpr const group& g = planned_rows::groups.of[G];
        constexpr std::size_t width = width_of<G>;
        bool fits = a.length % width == 0;
        for (std::size_t s = 0; s < g.arrays; ++s) {
            if (a.array[s] == nullptr) continue;
            fits = fits && reinterpret_cast<std::uintptr_t>(a.array[s]) % 16 == 0 && a.array_step[s][rank_of<G> - 1] == 1;
            for (unsigned k = 0; k + 1 < rank_of<G>; ++k) fits = fits && (a.array_step[s][k] % static_cast<std::ptrdiff_t>(width) == 0);
        }
        return fits;
    }
    template <std::size_t G, class Width, class Arguments>
    void launch_rows(Width width, const Arguments& a) const {
        constexpr const group& g = planned_rows::groups.of[G];
        std::size_t in = 0, out = 0;
        const auto count = [&](const row_operand& x) { (x.computed ? out : in) += x.computed && !x.stored ? 0 : 1; };
        for (std::size_t s = 0; s < g.arrays; ++s) count(g.array[s]);
        for (std::size_t r = 0; r < g.rows; ++r) count(g.row[r]);
        with_parts<G>([&](auto arrays, auto numbers_of_rows, auto numbers, auto totals, auto stages) {
            run_rows(width, arrays, numbers_of_rows, numbers, totals, stages, a, g.operations, in, out);
        });
    }
};

} // namespace dyad::device
