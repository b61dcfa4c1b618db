// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The short way of programs that are uniform. Where few elements lie side by side, nothing is to be found out but how many: a
// call of ten elements costs little more than its loops.
#pragma once

#include <algorithm>
#include <array>

#include <dyad/array/uniform_program.hpp>
#include <dyad/base/each_index.hpp>
#include <dyad/kernel/short_arrays.hpp>

namespace dyad {

/// One run of such a program.
template <class Program, class T, class... Inputs>
class uniform_execution {
    using facts = uniform_program<Program, T, Inputs...>;
    static constexpr const auto& plan = facts::plan;
    static constexpr graph_view graph = facts::graph;
    static constexpr unsigned rank = facts::rank;

public:
    DYAD_INLINE explicit uniform_execution(const std::tuple<Inputs...>& inputs) : inputs_(inputs) {}

    /// Whether the arguments have one shape, lie side by side, and are few elements: else the general way takes them.
    [[nodiscard]] DYAD_INLINE bool takes_arguments() {
        bool first = true, good = true;
        each_input([&](const auto& x) DYAD_INLINE_LAMBDA {
            if (first) {
                for (unsigned k = 0; k < rank; ++k) size_[k] = x.size[k];
                first = false;
            }
            good = good && fits(x);
        });
        count_ = 1;
        for (unsigned k = 0; k < rank; ++k) count_ *= size_[k];
        return good && count_ > static_cast<std::size_t>(facts::sizes.most_less) && count_ <= most;
    }
    /// The sizes of an output.
    template <std::size_t Output>
    [[nodiscard]] DYAD_INLINE std::array<std::size_t, rank> shape() const {
        std::array<std::size_t, rank> size;
        for (unsigned k = 0; k < rank; ++k) size[k] = size_[k] - static_cast<std::size_t>(facts::less(graph.outputs[Output]));
        return size;
    }
    /// Whether a result can be computed where it is to go. `Beside`: no argument's elements may lie there, but for an equal array,
    /// which a single loop has read when it writes.
    template <std::size_t Output, bool Beside, class R>
    [[nodiscard]] DYAD_INLINE bool takes_result(const R& to) const {
        bool good = fits(to, facts::less(graph.outputs[Output]));
        if constexpr (Beside) { // (as numbers: what does not fit may have no memory)
            const auto at = reinterpret_cast<std::uintptr_t>(to.data), bytes = std::uintptr_t{count_} * sizeof(T);
            each_input([&](const auto& x) DYAD_INLINE_LAMBDA {
                const auto from = reinterpret_cast<std::uintptr_t>(x.data);
                good = good && (from >= at + bytes || at >= from + bytes || (plan.step_count == 1 && facts::all_in_place && from == at));
            });
        }
        return good;
    }
    /// Computes; output number k of more than no axes goes to output[k].
    DYAD_INLINE void run(T* const* output) {
        for_indices<plan.leaves>([&]<std::size_t... Item>(std::index_sequence<Item...>) DYAD_INLINE_LAMBDA { (place<plan.leaf[Item]>(), ...); });
        if constexpr (facts::fits_registers && width > 1) {
            if (count_ >= width && count_ <= 2 * width) return run_in_registers<2>(output);
            if constexpr (sizeof(vector) <= 32) { // so that ten doubles fit
                if (count_ > 2 * width && count_ <= 3 * width) return run_in_registers<3>(output);
            }
        }
        for_indices<plan.kept_nodes>([&]<std::size_t... Item>(std::index_sequence<Item...>) DYAD_INLINE_LAMBDA { (place<plan.kept[Item]>(output), ...); });
        for_indices<plan.step_count>([&]<std::size_t... S>(std::index_sequence<S...>) DYAD_INLINE_LAMBDA { (step<S>(output), ...); });
    }
    /// A result that is a number.
    template <std::size_t Output>
    [[nodiscard]] DYAD_INLINE T number() const {
        constexpr node_index i = graph.outputs[Output];
        if constexpr (graph[i].is(opcode::constant)) {
            return constant_value(graph[i]).template as<T>();
        } else {
            return number_[plan.slot[i]];
        }
    }

private:
    template <std::size_t L>
    static constexpr std::size_t longest() {
        if constexpr (Program::template loop<L>::rank == 0) {
            return ~std::size_t(0);
        } else {
            return facts::template loop_nest<L>::longest_short_run;
        }
    }
    static constexpr std::size_t most = [] {
        std::size_t n = ~std::size_t(0);
        for_indices<plan.loop_count>([&]<std::size_t... L>(std::index_sequence<L...>) { ((n = std::min(n, longest<L>())), ...); });
        return n;
    }();

    template <class F>
    DYAD_INLINE void each_input(const F& f) const {
        const auto if_array = [&](const auto& x) DYAD_INLINE_LAMBDA {
            if constexpr (referenced<std::remove_cvref_t<decltype(x)>>) f(x);
        };
        unpack([&](const auto&... x) DYAD_INLINE_LAMBDA { (if_array(x), ...); }, inputs_);
    }
    template <class R>
    [[nodiscard]] DYAD_INLINE bool fits(const R& x, int less = 0) const {
        bool same = x.is_contiguous();
        for (unsigned k = 0; k < rank; ++k) same = same && x.size[k] == size_[k] - static_cast<std::size_t>(less);
        return same;
    }
    /// A leaf.
    template <node_index Item>
    DYAD_INLINE void place() {
        constexpr node n = graph[Item];
        if constexpr (n.is(opcode::extent)) {
            number_[plan.slot[Item]] = T(1);
            constexpr int less = facts::less(n.operand[0]);
            for (unsigned k = 0; k < rank; ++k) number_[plan.slot[Item]] *= (axes_of(n.bits) >> k & 1) != 0 ? static_cast<T>(size_[k] - static_cast<std::size_t>(less)) : T(1);
        } else if constexpr (n.rank == 0) {
            number_[plan.slot[Item]] = std::get<n.bits>(inputs_);
        } else {
            data_[plan.slot[Item]] = std::get<n.bits>(inputs_).data;
        }
    }
    /// A node that has memory of its own: an output's, that of a node which nobody needs any more, or fresh.
    template <node_index Item>
    DYAD_INLINE void place([[maybe_unused]] T* const* output) {
        constexpr std::size_t claimed = plan.claimed_by(Item);
        if constexpr (graph[Item].rank == 0 || !plan.used[Item]) {
            // a number, or only a shape
        } else if constexpr (claimed < graph.output_count) {
            data_[plan.slot[Item]] = output[claimed];
        } else if constexpr (plan.home[Item] != Item) {
            data_[plan.slot[Item]] = data_[plan.slot[plan.home[Item]]];
        } else {
            data_[plan.slot[Item]] = frame_.template take<T>(count_);
        }
    }
    template <std::size_t S>
    DYAD_INLINE void step(T* const* output) {
        constexpr plan_step s = plan.steps[S];
        if constexpr (s.kind == plan_step::loop) {
            run_loop<s.index>(output);
        } else if constexpr (!facts::is_number(s.index) && plan.used[s.index]) { // a slice
            data_[plan.slot[s.index]] = data_[plan.slot[graph[s.index].operand[0]]] + decode_slice(graph[s.index].bits).start;
        }
    }
    /// The elements of loop L that its placement P has.
    template <std::size_t L, std::size_t P>
    [[nodiscard]] DYAD_INLINE element_range range_of() const {
        constexpr placement p = Program::template loop<L>::table.placed[P];
        constexpr node_index within = p.within[0];
        constexpr int less = within == no_node ? facts::sizes.less[plan.loops[L].space.size[0]] : facts::less(graph[within].operand[0]);
        return {p.shift[0], p.shift[0] + static_cast<std::ptrdiff_t>(count_) - less};
    }
    /// Where element 0 of loop L's input J is, or would be.
    template <std::size_t L, std::size_t J>
    [[nodiscard]] DYAD_INLINE const T* memory_of_load(T* const* output) const {
        using code = typename Program::template loop<L>;
        constexpr load l = code::table.loaded[J];
        constexpr int before = l.axes.of[0] == axis_map::none ? 0 : code::table.placed[l.place].shift[0] - l.skipped[0];
        if constexpr (l.node == no_node) {
            return nullptr;
        } else if constexpr (before == 0) {
            return memory<l.node>(output);
        } else {
            return element_before<T>(memory<l.node>(output), before);
        }
    }
    template <std::size_t L>
    DYAD_INLINE void run_loop(T* const* output) {
        using code = typename Program::template loop<L>;
        [&]<std::size_t... J, std::size_t... K>(std::index_sequence<J...>, std::index_sequence<K...>) DYAD_INLINE_LAMBDA {
            if constexpr (code::rank == 0) {
                const T x[] = {*memory<code::table.loaded[J].node>(output)..., T(0)};
                const std::array<T, sizeof...(K)> y = Program::template loop_alike<L>::kernel::template run<T>(x);
                ((number_[plan.slot[code::table.kept[K].node]] = y[K]), ...);
            } else {
                const T* const from[] = {memory_of_load<L, J>(output)..., nullptr};
                T* const to[] = {const_cast<T*>(memory<code::table.kept[K].node>(output))..., nullptr};
                const auto has = [&]<std::size_t P>() DYAD_INLINE_LAMBDA { return range_of<L, P>(); };
                facts::template loop_nest<L>::run_known(static_cast<std::size_t>(range_of<L, 0>().last), from, to, has);
            }
        }(std::make_index_sequence<code::loads>{}, std::make_index_sequence<code::stores>{});
    }

    // In registers. (What is stored waits until all is read: results may lie where arguments do.)
    using vector = typename widest<T, Program::rewriting == policy::fast>::type;
    static constexpr std::size_t width = lane_count<vector>;
    template <std::size_t Vectors>
    using arrays = short_arrays<T, vector, Vectors, plan.slots + graph.output_count>;
    /// The array that node Item is there, or a copy for an output.
    template <node_index Item>
    static constexpr std::size_t array_of = Item < graph.size ? plan.slot[Item] : plan.slots + (Item - graph.size);
    template <std::size_t Vectors>
    DYAD_INLINE void run_in_registers(T* const* output) {
        arrays<Vectors> a(count_);
        for_indices<plan.leaves>([&]<std::size_t... Item>(std::index_sequence<Item...>) DYAD_INLINE_LAMBDA { (load_leaf<plan.leaf[Item]>(a), ...); });
        for_indices<plan.step_count>([&]<std::size_t... S>(std::index_sequence<S...>) DYAD_INLINE_LAMBDA { (step_in_registers<S>(a, output), ...); });
        for_indices<graph.output_count>([&]<std::size_t... O>(std::index_sequence<O...>) DYAD_INLINE_LAMBDA { (store_output<O>(a, output[O]), ...); });
    }
    template <node_index Item, class Arrays>
    DYAD_INLINE void load_leaf(Arrays& a) const {
        if constexpr (graph[Item].rank != 0) a.template load<array_of<Item>>(data_[plan.slot[Item]]);
    }
    template <std::size_t O, class Arrays>
    DYAD_INLINE static void store_output(const Arrays& a, [[maybe_unused]] T* to) {
        if constexpr (graph[graph.outputs[O]].rank != 0) a.template store<array_of<stored_for(O)>>(to);
    }
    /// What becomes output o: the node, or a loop's copy of it.
    static constexpr node_index stored_for(std::size_t o) {
        bool copied = false;
        for_indices<plan.loop_count>([&]<std::size_t... L>(std::index_sequence<L...>) { ((copied = copied || copies<L>(o)), ...); });
        return copied ? static_cast<node_index>(graph.size + o) : graph.outputs[o];
    }
    template <std::size_t L>
    static constexpr bool copies(std::size_t o) {
        using code = typename Program::template loop<L>;
        for (std::size_t k = 0; k < code::stores; ++k) {
            if (code::table.kept[k].node == graph.size + o) return true;
        }
        return false;
    }
    template <std::size_t S, class Arrays>
    DYAD_INLINE void step_in_registers(Arrays& a, T* const* output) {
        constexpr plan_step s = plan.steps[S];
        if constexpr (s.kind == plan_step::loop) {
            if constexpr (Program::template loop<s.index>::rank == 0) run_loop<s.index>(output);
            else run_loop_in_registers<s.index>(a, output);
        }
    }
    template <std::size_t L, class Arrays>
    DYAD_INLINE void run_loop_in_registers(Arrays& a, T* const* output) {
        using code = typename Program::template loop<L>;
        [&]<std::size_t... J, std::size_t... K>(std::index_sequence<J...>, std::index_sequence<K...>) DYAD_INLINE_LAMBDA {
            constexpr std::array<std::size_t, code::loads> from{array_of<code::table.loaded[J].node>...};
            constexpr std::array<std::size_t, code::stores> to{array_of<code::table.kept[K].node>...};
            const T same[] = {number_or_none<code::table.loaded[J].node>(output)..., T(0)};
            T total[code::stores + 1];
            facts::template loop_nest<L>::template run_in_registers<from, to>(a, same, total);
            (keep_total<code::table.kept[K].node>(total[K], output), ...);
        }(std::make_index_sequence<code::loads>{}, std::make_index_sequence<code::stores>{});
    }
    template <node_index Item>
    [[nodiscard]] DYAD_INLINE T number_or_none(T* const* output) const {
        if constexpr (facts::is_number(Item)) return *memory<Item>(output);
        return T(0);
    }
    template <node_index Item>
    DYAD_INLINE void keep_total([[maybe_unused]] const T& total, [[maybe_unused]] T* const* output) {
        if constexpr (Item < graph.size) {
            if constexpr (facts::is_number(Item)) *const_cast<T*>(memory<Item>(output)) = total;
        }
    }

    template <node_index Item>
    [[nodiscard]] DYAD_INLINE const T* memory(T* const* output) const {
        if constexpr (Item >= graph.size) { // a copy for an output
            return output[Item - graph.size];
        } else if constexpr (facts::is_number(Item)) {
            return &number_[plan.slot[graph[Item].rank == 0 ? Item : graph[Item].operand[0]]];
        } else {
            return data_[plan.slot[Item]];
        }
    }

    const std::tuple<Inputs...>& inputs_;
    std::size_t size_[rank], count_ = 0;
    T number_[plan.slots + 1];
    const T* data_[plan.slots + 1];
    workspace::frame frame_;
};

} // namespace dyad
