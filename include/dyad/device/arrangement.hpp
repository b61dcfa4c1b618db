// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The arrays of a program that runs on the device: what of it are numbers of the host, where everything else lies, and in
// one piece of memory for all that is computed in between.
#pragma once

#include <tuple>

#include <dyad/array/storage.hpp>
#include <dyad/base/each_index.hpp>
#include <dyad/device/host_calls.hpp>
#include <dyad/device/number.hpp>

namespace dyad::device {

/// `Outputs`: the element type of each output's memory.
template <class Program, class T, class Outputs, class... Inputs>
class arrangement : public storage<Program, T, Inputs...> {
    using base = storage<Program, T, Inputs...>;

public:
    using program = Program;
    static constexpr const auto& plan = Program::planned;
    static constexpr graph_view graph = Program::graph;
    using base::base;

    template <std::size_t Output>
    using element_of_output = std::tuple_element_t<Output, Outputs>;
    /// Whether a node's value is a number of the host: an argument, what follows from sizes, or computed from such.
    static constexpr bool is_given(node_index i) { return given.at[i] || given.at[base::base_of(i)]; }
    /// The output whose memory is node i's, or their number.
    static constexpr std::size_t claimed_by(node_index i) {
        for (std::size_t k = 0; k < graph.output_count; ++k) {
            if (plan.output_node[k] == plan.home[i] && graph[i].rank > 0) return k;
        }
        return graph.output_count;
    }
    template <node_index Item>
    static constexpr auto pick_element() {
        constexpr std::size_t k = Item < graph.size ? claimed_by(Item) : Item - graph.size;
        if constexpr (k < graph.output_count) {
            return std::type_identity<element_of_output<k>>{};
        } else {
            return std::type_identity<T>{};
        }
    }
    /// What a loop stores for node Item, or for a copy for an output.
    template <node_index Item>
    using element_of_store = typename decltype(pick_element<Item>())::type;
    template <node_index Item>
    static constexpr auto pick_read() {
        constexpr node_index b = base::base_of(Item);
        if constexpr (plan.stored[b]) {
            return pick_element<b>();
        } else {
            return std::type_identity<typename base::template element_of_node<Item>>{};
        }
    }
    template <node_index Item>
    using element_of = typename decltype(pick_read<Item>())::type;

    /// A result that is a number, of the host or where it lies on the device.
    template <std::size_t Output>
    [[nodiscard]] auto number_where_it_lies() const {
        constexpr node_index i = graph.outputs[Output];
        if constexpr (is_given(i)) {
            return base::template number<Output>();
        } else {
            return number_on_device<element_of<i>>{static_cast<const element_of<i>*>(this->data_[plan.slot[i]])};
        }
    }

protected:
    struct flags {
        bool at[graph.size + 1] = {};
        bool loop[plan.step_count + 1] = {}; ///< by step: a loop that the host runs
    };
    static constexpr bool has_calls = [] {
        bool any = false;
        for (node_index i = 0; i < graph.size; ++i) any = any || graph[i].is(opcode::call);
        return any;
    }();
    static constexpr flags given = [] {
        flags f;
        for (node_index i = 0; i < graph.size; ++i) {
            const opcode op = graph[i].op;
            f.at[i] = is(op, opcode::extent) || is(op, opcode::constant);
        }
        for_indices<plan.leaves>([&]<std::size_t... L>(std::index_sequence<L...>) { (arrangement::template find_given_leaf<plan.leaf[L]>(f), ...); });
        if constexpr (has_calls) arrangement::find_given_regions(f);
        for_indices<plan.step_count>([&]<std::size_t... S>(std::index_sequence<S...>) { (arrangement::template find_given<S>(f), ...); });
        return f;
    }();
    /// Of what a loop stores: a node, or behind them an output.
    static constexpr unsigned stored_rank(std::size_t i) { return graph[i < graph.size ? i : graph.outputs[i - graph.size]].rank; }
    template <node_index Item>
    static constexpr void find_given_leaf(flags& f) {
        if constexpr (graph[Item].is(opcode::input) && graph[Item].rank == 0) {
            f.at[Item] = !is_number_on_device<std::tuple_element_t<graph[Item].bits, std::tuple<Inputs...>>>;
        }
    }
    template <node_index Item>
    static constexpr bool is_call_of_numbers() {
        if constexpr (graph[Item].is(opcode::call)) {
            constexpr std::size_t region = region_number(graph[Item]);
            constexpr bool two = has_two_bodies(Program::source::template info<region>.kind);
            return is_of_numbers(Program::source::template body<region, 0>::graph) &&
                   is_of_numbers(Program::source::template body<region, two ? 1 : 0>::graph);
        } else {
            return false;
        }
    }
    /// Calls that the host runs, and how many rounds a loop took: that is known there in any case.
    template <node_index Item>
    static constexpr void find_given_results(flags& f, const list<bool>& hosts) {
        if constexpr (graph[Item].is(opcode::call)) {
            f.at[Item] = hosts[Item];
        } else if constexpr (graph[Item].is(opcode::result)) {
            constexpr region_info info = Program::source::template info<region_number(graph[graph[Item].operand[0]])>;
            f.at[Item] = hosts[graph[Item].operand[0]] || (info.kind != region_kind::branch && graph[Item].bits == info.values);
        }
    }
    static constexpr void find_given_regions(flags& f) {
        list<bool> numbers(graph.size);
        for_indices<graph.size>([&]<std::size_t... Item>(std::index_sequence<Item...>) { ((numbers[Item] = arrangement::template is_call_of_numbers<Item>()), ...); });
        const list<bool> hosts = host_calls(graph, numbers);
        for_indices<graph.size>([&]<std::size_t... Item>(std::index_sequence<Item...>) { (arrangement::template find_given_results<Item>(f, hosts), ...); });
    }
    template <std::size_t S>
    static constexpr void find_given(flags& f) {
        constexpr plan_step s = plan.steps[S];
        if constexpr (s.kind == plan_step::loop) {
            using code = typename Program::template loop<s.index>;
            if constexpr (code::rank == 0) {
                bool all = true; // numbers from numbers (an array of one element is the device's)
                for (std::size_t j = 0; j < code::loads; ++j) {
                    const node_index x = code::table.loaded[j].node;
                    all = all && (f.at[x] || f.at[base::base_of(x)]);
                }
                for (std::size_t k = 0; k < code::stores; ++k) all = all && stored_rank(code::table.kept[k].node) == 0;
                for (std::size_t k = 0; k < code::stores && all; ++k) f.at[code::table.kept[k].node] = true;
                f.loop[S] = all;
            }
        }
    }
    static constexpr std::size_t padded(std::size_t bytes) { return (bytes + buffer::alignment - 1) / buffer::alignment * buffer::alignment; }
    static constexpr bool is_number(node_index i) { return plan.stored[i] && graph[i].rank == 0; }

    template <node_index Item>
    static constexpr bool has_own_memory = plan.stored[Item] && plan.used[Item] && plan.host[Item] == no_node && graph[Item].rank > 0 &&
                                           claimed_by(Item) == graph.output_count && plan.home[Item] == Item;
    template <node_index Item>
    [[nodiscard]] std::size_t bytes_for() const {
        if constexpr (has_own_memory<Item>) {
            return padded(this->count_of(Item) * sizeof(T));
        } else {
            return 0;
        }
    }
    /// Where a result that is a number is to lie, if somewhere of its own.
    template <node_index Item>
    [[nodiscard]] T* place_of_number() const {
        for (std::size_t k = 0; k < graph.output_count; ++k) {
            if (graph.outputs[k] == Item && graph[Item].rank == 0 && output_[k] != nullptr) return static_cast<T*>(output_[k]);
        }
        return numbers_ + plan.slot[Item];
    }
    template <node_index Item>
    void place(std::byte*& next) {
        constexpr std::size_t slot = plan.slot[Item], claimed = claimed_by(Item);
        if constexpr (graph[Item].rank == 0 || !plan.used[Item]) {
            this->data_[slot] = given.at[Item] ? &this->number_[slot] : place_of_number<Item>();
        } else if constexpr (claimed < graph.output_count) {
            this->data_[slot] = output_[claimed];
        } else if constexpr (plan.home[Item] != Item) {
            this->data_[slot] = this->data_[plan.slot[plan.home[Item]]];
        } else {
            this->data_[slot] = next;
            next += bytes_for<Item>();
        }
        if constexpr (graph[Item].rank > 0) this->template lay_out<Item, element_of_store<Item>>();
    }
    /// Takes all memory, with room for `sums` partial results, and gives each node its place in it.
    void take_memory(void* const* output, std::size_t sums) {
        output_ = output;
        std::size_t bytes = padded(plan.slots * sizeof(T));
        for_indices<plan.kept_nodes>([&]<std::size_t... K>(std::index_sequence<K...>) { ((bytes += this->template bytes_for<plan.kept[K]>()), ...); });
        memory_ = buffer(bytes + sums * sizeof(T));
        numbers_ = static_cast<T*>(memory_.data());
        std::byte* next = static_cast<std::byte*>(memory_.data()) + padded(plan.slots * sizeof(T));
        for_indices<plan.kept_nodes>([&]<std::size_t... K>(std::index_sequence<K...>) { (this->template place<plan.kept[K]>(next), ...); });
        partial_ = reinterpret_cast<T*>(next);
    }

    // What operations read

    template <node_index Item>
    [[nodiscard]] auto reference_on_device() const {
        constexpr unsigned rank = graph[Item].rank;
        array_reference<const element_of<Item>, rank> r{static_cast<const element_of<Item>*>(this->data_[plan.slot[Item]]), {}, {}};
        for (unsigned k = 0; k < rank; ++k) r.size[k] = this->size_[plan.size_of[Item][k]], r.stride[k] = this->stride_[plan.slot[Item]][k];
        return r;
    }
    /// What an operation reads: an array, a number of the device as an array of no axes, or a number of the host. (The history of a
    /// loop that the host runs is read by the host alone.)
    template <node_index Item>
    [[nodiscard]] auto operand_on_device() const {
        if constexpr (graph[Item].is(opcode::constant)) {
            return constant_value(graph[Item]).template as<T>();
        } else if constexpr (graph[Item].rank == 0 && is_given(Item)) {
            return static_cast<T>(*static_cast<const T*>(this->data_[plan.slot[Item]]));
        } else if constexpr (graph[Item].rank > 0 && is_given(Item) && !graph[Item].is(opcode::trail)) { // a number of the host, read as an array: of strides 0
            auto r = reference_on_device<Item>();
            put<T>(static_cast<T>(*static_cast<const T*>(this->data_[plan.slot[Item]])), numbers_ + plan.slot[Item]);
            r.data = reinterpret_cast<decltype(r.data)>(numbers_ + plan.slot[Item]);
            return r;
        } else {
            return reference_on_device<Item>();
        }
    }
    /// What a loop or branch is handed.
    template <node_index Item>
    [[nodiscard]] auto handed() const {
        if constexpr (graph[Item].rank == 0 && !graph[Item].is(opcode::constant) && !is_given(Item)) {
            return number_on_device<element_of<Item>>{static_cast<const element_of<Item>*>(this->data_[plan.slot[Item]])};
        } else {
            return operand_on_device<Item>();
        }
    }
    round_memory& memory_of_rounds() { return round_memory_; }

    void* const* output_ = nullptr;
    buffer memory_;
    T* numbers_ = nullptr;
    T* partial_ = nullptr;
    round_memory round_memory_;
};

} // namespace dyad::device
