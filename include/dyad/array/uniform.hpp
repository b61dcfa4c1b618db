// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The short way of programs that are uniform: all their arrays have the arguments' one shape, element by element, and only
// numbers are summed up. Where few elements lie side by side, nothing is to be found out but how many: a call of ten elements
// costs little more than its loops.
#pragma once

#include <dyad/array/nest.hpp>
#include <dyad/array/program.hpp>
#include <dyad/pass/equal_inputs.hpp>

namespace dyad {

/// Whether a program is uniform, for arguments of types `Inputs` (an array_reference for each array, a T for each number).
template <class Program, class T, class... Inputs>
struct uniform_program {
    static constexpr const auto& plan = Program::planned;
    static constexpr graph_view graph = Program::graph;
    template <std::size_t L>
    using loop_nest = nest<typename Program::template loop<L>, Program::rewriting == policy::fast, T>;

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
        return graph[i].op == opcode::expand && graph[graph[i].operand[0]].rank == 0;
    }
    static constexpr bool is_uniform(node_index i) {
        if (is_number(i)) return true;
        const node& n = graph[i];
        const role r = role_of(n.op);
        if ((r != role::leaf && r != role::elementwise) || n.ones != 0 || n.rank != rank) return false;
        for (unsigned k = 0; k < n.rank; ++k) {
            const dimension_rule size = plan.rules[plan.equal[plan.size_of[i][k]]];
            if (size.kind != dimension_rule::argument || size.b != k) return false;
        }
        return plan.host[i] == no_node;
    }
    /// All arrays go along the loop's axes in the same way.
    template <std::size_t L>
    static constexpr bool is_uniform_loop() {
        using code = typename Program::template loop<L>;
        if (code::places != 1 || (code::rank != 0 && code::rank != rank)) return false;
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
            if (!walks(s.axes) || (code::rank != 0 && (s.axes == none) == (s.how == opcode::constant))) return false;
        }
        return true;
    }

    static constexpr bool value = [] {
        if (graph.size == 0 || rank == 0 || !(is_taken<Inputs>() && ...)) return false;
        for (node_index i = 0; i < graph.size; ++i) {
            if (!is_uniform(i)) return false;
        }
        for (std::size_t d = 1; d < plan.size_count; ++d) {
            const dimension_rule size = plan.rules[d], same = plan.rules[plan.equal[d]];
            if (size.kind != dimension_rule::argument || same.kind != dimension_rule::argument || size.b != same.b) return false;
        }
        for (std::size_t s = 0; s < plan.step_count; ++s) {
            const plan_step& step = plan.steps[s];
            if (step.kind == plan_step::call || (step.kind == plan_step::view && !is_number(step.index))) return false;
        }
        for (std::size_t o = 0; o < graph.output_count; ++o) {
            if (graph[graph.outputs[o]].ones != 0) return false;
        }
        if constexpr (requires { typename Program::source::function; }) {
            using equal = equal_inputs<typename Program::source::function>;
            for (std::size_t e = 0; e < equal::count; ++e) {
                if (equal::list_of.at[e].first_axis != equal::list_of.at[e].second_axis) return false;
            }
        }
        return []<std::size_t... L>(std::index_sequence<L...>) { return (is_uniform_loop<L>() && ...); }(std::make_index_sequence<plan.loop_count>{});
    }();
};

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
        return good && count_ > 0 && count_ <= most;
    }
    /// The sizes of all arrays.
    [[nodiscard]] const std::size_t* shape() const { return size_; }
    /// Whether a result can be computed where it is to go. `Beside`: no argument's elements may lie there, but for an equal array,
    /// which a single loop has read when it writes.
    template <bool Beside, class R>
    [[nodiscard]] DYAD_INLINE bool takes_result(const R& to) const {
        bool good = fits(to);
        if constexpr (Beside) { // (as numbers: what does not fit may have no memory)
            const auto at = reinterpret_cast<std::uintptr_t>(to.data), bytes = std::uintptr_t{count_} * sizeof(T);
            each_input([&](const auto& x) DYAD_INLINE_LAMBDA {
                const auto from = reinterpret_cast<std::uintptr_t>(x.data);
                good = good && (from >= at + bytes || at >= from + bytes || (plan.step_count == 1 && from == at));
            });
        }
        return good;
    }
    /// Computes; output number k of more than no axes goes to output[k].
    DYAD_INLINE void run(T* const* output) {
        [&]<std::size_t... I>(std::index_sequence<I...>) DYAD_INLINE_LAMBDA { (place<plan.leaf[I]>(), ...); }(std::make_index_sequence<plan.leaves>{});
        [&]<std::size_t... I>(std::index_sequence<I...>) DYAD_INLINE_LAMBDA { (place<plan.kept[I]>(output), ...); }(std::make_index_sequence<plan.kept_nodes>{});
        [&]<std::size_t... S>(std::index_sequence<S...>) DYAD_INLINE_LAMBDA { (step<S>(output), ...); }(std::make_index_sequence<plan.step_count>{});
    }
    /// A result that is a number.
    template <std::size_t Output>
    [[nodiscard]] DYAD_INLINE T number() const {
        constexpr node_index i = graph.outputs[Output];
        if constexpr (graph[i].op == opcode::constant) {
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
        [&]<std::size_t... L>(std::index_sequence<L...>) { ((n = std::min(n, longest<L>())), ...); }(std::make_index_sequence<plan.loop_count>{});
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
    [[nodiscard]] DYAD_INLINE bool fits(const R& x) const {
        bool same = x.is_contiguous();
        for (unsigned k = 0; k < rank; ++k) same = same && x.size[k] == size_[k];
        return same;
    }
    /// A leaf.
    template <node_index I>
    DYAD_INLINE void place() {
        constexpr node n = graph[I];
        if constexpr (n.op == opcode::extent) {
            number_[plan.slot[I]] = T(1);
            for (unsigned k = 0; k < rank; ++k) number_[plan.slot[I]] *= (axes_of(n.bits) >> k & 1) != 0 ? static_cast<T>(size_[k]) : T(1);
        } else if constexpr (n.rank == 0) {
            number_[plan.slot[I]] = std::get<n.bits>(inputs_);
        } else {
            data_[plan.slot[I]] = std::get<n.bits>(inputs_).data;
        }
    }
    /// A node that has memory of its own: an output's, that of a node which nobody needs any more, or fresh.
    template <node_index I>
    DYAD_INLINE void place([[maybe_unused]] T* const* output) {
        constexpr std::size_t claimed = plan.claimed_by(I);
        if constexpr (graph[I].rank == 0 || !plan.used[I]) {
            // a number, or only a shape
        } else if constexpr (claimed < graph.output_count) {
            data_[plan.slot[I]] = output[claimed];
        } else if constexpr (plan.home[I] != I) {
            data_[plan.slot[I]] = data_[plan.slot[plan.home[I]]];
        } else {
            data_[plan.slot[I]] = frame_.template take<T>(count_);
        }
    }
    template <std::size_t S>
    DYAD_INLINE void step(T* const* output) {
        if constexpr (plan.steps[S].kind == plan_step::loop) run_loop<plan.steps[S].index>(output);
    }
    template <std::size_t L>
    DYAD_INLINE void run_loop(T* const* output) {
        using code = typename Program::template loop<L>;
        [&]<std::size_t... J, std::size_t... K>(std::index_sequence<J...>, std::index_sequence<K...>) DYAD_INLINE_LAMBDA {
            if constexpr (code::rank == 0) {
                const T x[] = {*memory<code::table.loaded[J].node>(output)..., T(0)};
                const std::array<T, sizeof...(K)> y = code::kernel::template run<T>(x);
                ((number_[plan.slot[code::table.kept[K].node]] = y[K]), ...);
            } else {
                const T* const from[] = {memory<code::table.loaded[J].node>(output)..., nullptr};
                T* const to[] = {const_cast<T*>(memory<code::table.kept[K].node>(output))..., nullptr};
                facts::template loop_nest<L>::run_short(count_, from, to, nullptr);
            }
        }(std::make_index_sequence<code::loads>{}, std::make_index_sequence<code::stores>{});
    }
    template <node_index I>
    [[nodiscard]] DYAD_INLINE const T* memory(T* const* output) const {
        if constexpr (I >= graph.size) { // a copy for an output
            return output[I - graph.size];
        } else if constexpr (facts::is_number(I)) {
            return &number_[plan.slot[graph[I].rank == 0 ? I : graph[I].operand[0]]];
        } else {
            return data_[plan.slot[I]];
        }
    }

    const std::tuple<Inputs...>& inputs_;
    std::size_t size_[rank], count_ = 0;
    T number_[plan.slots + 1];
    const T* data_[plan.slots + 1];
    workspace::frame frame_;
};

} // namespace dyad
