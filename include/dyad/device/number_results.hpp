// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Results that are numbers: they come to the host in one copy when the program is done. What the last kernel sums comes as its blocks' sums,
// and what follows from these numbers alone is computed on the host: for two further kernels the device would need longer than for the
// copy.
#pragma once

#include <dyad/base/each_index.hpp>
#include <dyad/device/arrangement.hpp>
#include <dyad/device/staged.hpp>

namespace dyad::device {

/// The total of one output's partial results, on the host; in the order of finish_kernel.
template <class T, class Part>
T finished_on_host(const T* partial, std::size_t blocks) {
    const finish_arguments<T> a{partial, nullptr, 1, blocks, 1};
    T lane[block_threads];
    for (unsigned t = 0; t < block_threads; ++t) lane[t] = finish_work<T, Part>::run(a, 0, t);
    fold_block<finish_work<T, Part>::how>(lane, 1, false);
    return static_cast<T>(static_cast<typename Part::element>(lane[0]));
}

template <class Program, class T, class Outputs, class... Inputs>
class number_results : public arrangement<Program, T, Outputs, Inputs...> {
    using base = arrangement<Program, T, Outputs, Inputs...>;

public:
    static constexpr const auto& plan = Program::planned;
    static constexpr graph_view graph = Program::graph;
    using base::base, base::is_given;

    /// From here on numbers are wanted on the host alone, and `fetch_numbers` will be called. (The body of a loop hands them on.)
    void end_on_host() { ends_on_host_ = true; }

    /// A result that is a number.
    template <std::size_t Output>
    [[nodiscard]] T number() {
        constexpr node_index i = graph.outputs[Output];
        if constexpr (is_given(i)) {
            return base::template number<Output>();
        } else if constexpr (base::is_number(i)) {
            fetch_numbers();
            return fetched_[plan.slot[i]];
        } else { // an element of an array, or a number that was handed
            return static_cast<T>(this->template number_where_it_lies<Output>());
        }
    }
    /// The same to where `to` is, in the device's memory: nothing waits for the device.
    template <std::size_t Output, class E>
    void put_number(E* to) {
        if (is_fetched_) {
            put<T>(number<Output>(), to);
        } else {
            put<T>(this->template number_where_it_lies<Output>(), to);
        }
    }
    void fetch_numbers() {
        if (is_fetched_) return;
        is_fetched_ = true;
        if (waiting_ > 0 && waits_for_all()) {
            const std::size_t blocks = waiting_for_[0].a.chunks;
            T sums[most_fetched];
            copy_to_host(sums, waiting_for_[0].a.partial, waiting_ * blocks * sizeof(T));
            for (std::size_t k = 0; k < waiting_; ++k) fetched_[slot_of(waiting_for_[k])] = waiting_for_[k].on_host(sums + k * blocks, blocks);
        } else {
            for (std::size_t k = 0; k < waiting_; ++k) waiting_for_[k].on_device(waiting_for_[k].a);
            bool any = false;
            for (std::size_t k = 0; k < graph.output_count; ++k) any = any || (base::is_number(graph.outputs[k]) && !is_given(graph.outputs[k]));
            if (any) copy_to_host(fetched_, this->numbers_, plan.slots * sizeof(T));
        }
        if (ends_on_host_) for_indices<plan.step_count, first_at_end>([&]<std::size_t... S>(std::index_sequence<S...>) { (this->template run_at_end<S>(), ...); });
    }

protected:
    /// The steps from here on are loops of numbers over numbers that only other such steps and results read.
    static constexpr std::size_t first_at_end = [] {
        std::size_t first = plan.step_count;
        bool all = true;
        for_indices<plan.step_count>([&]<std::size_t... S>(std::index_sequence<S...>) {
            ((all = all && number_results::template is_of_numbers<plan.step_count - 1 - S>(), first -= all ? 1 : 0), ...);
        });
        return first;
    }();
    /// Whether the host runs step s when all others are done.
    [[nodiscard]] bool is_at_end(std::size_t s) const { return ends_on_host_ && s >= first_at_end; }

    /// Finishes a total, or leaves it to the host: `is_last`, no later kernel writes partial results.
    template <class Part>
    void finish(Part, const finish_arguments<T>& a, bool is_last) {
        const bool fits = (waiting_ + 1) * a.chunks <= most_fetched && (waiting_ == 0 || a.partial == waiting_for_[0].a.partial + waiting_ * a.chunks);
        const auto at = reinterpret_cast<std::uintptr_t>(a.out), first = reinterpret_cast<std::uintptr_t>(this->numbers_);
        if (ends_on_host_ && is_last && fits && at >= first && at < first + plan.slots * sizeof(T)) {
            waiting_for_[waiting_++] = {a, finished_on_host<T, Part>, [](const finish_arguments<T>& f) { run_finish<T>(Part{}, f); }};
        } else {
            run_finish<T>(Part{}, a);
        }
    }

private:
    /// Partial results that one short copy brings.
    static constexpr std::size_t most_fetched = pinned_bytes / sizeof(T);
    struct total {
        finish_arguments<T> a;
        T (*on_host)(const T*, std::size_t);
        void (*on_device)(const finish_arguments<T>&);
    };
    [[nodiscard]] std::size_t slot_of(const total& t) const { return static_cast<std::size_t>(static_cast<const T*>(t.a.out) - this->numbers_); }
    [[nodiscard]] bool waits_for(node_index i) const {
        bool waits = false;
        for (std::size_t k = 0; k < waiting_; ++k) waits = waits || slot_of(waiting_for_[k]) == plan.slot[i];
        return waits;
    }
    /// Whether everything that is fetched follows from the totals that wait.
    [[nodiscard]] bool waits_for_all() const {
        bool all = true;
        const auto look = [&](node_index i) { all = all && (is_given(i) || made_at_end.at[i] || waits_for(i)); };
        for (std::size_t k = 0; k < graph.output_count; ++k) {
            if (base::is_number(graph.outputs[k])) look(graph.outputs[k]);
        }
        const auto look_at_all = [&](const load* loads, std::size_t count) {
            for (std::size_t j = 0; j != count; ++j) look(loads[j].node);
        };
        for_indices<plan.step_count, first_at_end>([&]<std::size_t... S>(std::index_sequence<S...>) {
            (look_at_all(Program::template loop<plan.steps[S].index>::table.loaded, Program::template loop<plan.steps[S].index>::loads), ...);
        });
        return all;
    }
    template <std::size_t S>
    static constexpr bool is_of_numbers() {
        if constexpr (plan.steps[S].kind == plan_step::loop) {
            using code = typename Program::template loop<plan.steps[S].index>;
            bool all = code::rank == 0;
            for (std::size_t j = 0; j != code::loads && all; ++j) all = code::table.loaded[j].node != no_node && (is_given(code::table.loaded[j].node) || base::is_number(code::table.loaded[j].node));
            for (std::size_t k = 0; k < code::stores && all; ++k) all = code::table.kept[k].node < graph.size && base::is_number(code::table.kept[k].node);
            return all;
        } else {
            return false;
        }
    }
    struct marks {
        bool at[graph.size + 1] = {};
    };
    static constexpr marks made_at_end = [] {
        marks m;
        for_indices<plan.step_count, first_at_end>([&]<std::size_t... S>(std::index_sequence<S...>) { (number_results::template mark<S>(m), ...); });
        return m;
    }();
    template <std::size_t S>
    static constexpr void mark(marks& m) {
        using code = typename Program::template loop<plan.steps[S].index>;
        for (std::size_t k = 0; k < code::stores; ++k) m.at[code::table.kept[k].node] = true;
    }
    template <std::size_t S>
    void run_at_end() {
        using code = typename Program::template loop<plan.steps[S].index>;
        T x[code::loads + 1] = {}, y[code::stores + 1];
        for (std::size_t j = 0; j != code::loads; ++j) {
            const node_index i = code::table.loaded[j].node;
            x[j] = is_given(i) ? static_cast<T>(*static_cast<const T*>(this->data_[plan.slot[i]])) : fetched_[plan.slot[i]];
        }
        code::kernel::run_into(x, y);
        for (std::size_t k = 0; k != code::stores; ++k) fetched_[plan.slot[code::table.kept[k].node]] = y[k];
    }

    bool ends_on_host_ = false, is_fetched_ = false;
    std::size_t waiting_ = 0;
    total waiting_for_[graph.output_count + plan.sink_count + 1];
    T fetched_[plan.slots + 1];
};

} // namespace dyad::device
